/** The {@code ralph} command. */
@NullMarked
package dev.ralph.cli;

import org.jspecify.annotations.NullMarked;
