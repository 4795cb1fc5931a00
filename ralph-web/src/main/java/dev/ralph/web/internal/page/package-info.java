/**
 * The live page: what it shows of a session, as JSON that all who look share, and what it changes.
 */
@NullMarked
package dev.ralph.web.internal.page;

import org.jspecify.annotations.NullMarked;
