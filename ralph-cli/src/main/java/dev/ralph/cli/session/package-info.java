/**
 * The commands that show the state of a session and control it. Begin with {@link
 * dev.ralph.cli.session.StatusCommand}; classes with the suffix {@code Form} render answers as text
 * and JSON.
 */
@NullMarked
package dev.ralph.cli.session;

import org.jspecify.annotations.NullMarked;
