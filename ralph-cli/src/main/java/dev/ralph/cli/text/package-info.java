/** Text that people type, and text printed for people. */
@NullMarked
package dev.ralph.cli.text;

import org.jspecify.annotations.NullMarked;
