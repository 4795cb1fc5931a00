/** The commands that work on the log itself, or on the store that keeps it. */
@NullMarked
package dev.ralph.cli.store;

import org.jspecify.annotations.NullMarked;
