/** The commands that show the state of a session and control it. */
@NullMarked
package dev.ralph.cli.session;

import org.jspecify.annotations.NullMarked;
