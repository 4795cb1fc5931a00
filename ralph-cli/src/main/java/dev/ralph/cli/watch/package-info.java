/** The command that shows a session while it runs. */
@NullMarked
package dev.ralph.cli.watch;

import org.jspecify.annotations.NullMarked;
