/** Authentication of people and agents. */
@NullMarked
package dev.ralph.web.internal.access;

import org.jspecify.annotations.NullMarked;
