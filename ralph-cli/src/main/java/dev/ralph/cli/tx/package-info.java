/** The commands for messages of TX. */
@NullMarked
package dev.ralph.cli.tx;

import org.jspecify.annotations.NullMarked;
