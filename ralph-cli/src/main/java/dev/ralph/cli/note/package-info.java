/** The commands that show and change notes. */
@NullMarked
package dev.ralph.cli.note;

import org.jspecify.annotations.NullMarked;
