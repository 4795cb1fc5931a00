/** Text that people type at the command, and text that it shows them. */
@NullMarked
package dev.ralph.cli.text;

import org.jspecify.annotations.NullMarked;
