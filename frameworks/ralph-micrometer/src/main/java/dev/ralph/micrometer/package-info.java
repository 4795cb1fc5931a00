/** Observations and meters of loops for Micrometer. */
@NullMarked
package dev.ralph.micrometer;

import org.jspecify.annotations.NullMarked;
