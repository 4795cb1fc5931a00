/** The commands on the log itself and on its store. */
@NullMarked
package dev.ralph.cli.store;

import org.jspecify.annotations.NullMarked;
