/** The commands that show and change tasks. */
@NullMarked
package dev.ralph.cli.task;

import org.jspecify.annotations.NullMarked;
