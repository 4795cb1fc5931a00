/** The base of all commands: invocation, environment and store. */
@NullMarked
package dev.ralph.cli.call;

import org.jspecify.annotations.NullMarked;
