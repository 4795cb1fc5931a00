/** What is done once, and its results. */
@NullMarked
package dev.ralph.core.internal.step;

import org.jspecify.annotations.NullMarked;
