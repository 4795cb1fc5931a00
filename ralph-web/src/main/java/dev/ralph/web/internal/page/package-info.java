/**
 * The live page: the content of sessions as JSON that all visitors share, and the orders of
 * visitors.
 */
@NullMarked
package dev.ralph.web.internal.page;

import org.jspecify.annotations.NullMarked;
