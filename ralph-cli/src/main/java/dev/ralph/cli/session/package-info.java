/** The commands that show how a session stands, and that steer it. */
@NullMarked
package dev.ralph.cli.session;

import org.jspecify.annotations.NullMarked;
