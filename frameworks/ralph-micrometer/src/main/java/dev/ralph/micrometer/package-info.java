/** What loops do, as Micrometer's observations and meters. */
@NullMarked
package dev.ralph.micrometer;

import org.jspecify.annotations.NullMarked;
