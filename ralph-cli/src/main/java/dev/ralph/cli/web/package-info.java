/**
 * The commands that give people and agents access over HTTP. Begin with {@link
 * dev.ralph.cli.web.ServeCommand}; the other commands manage access tokens.
 */
@NullMarked
package dev.ralph.cli.web;

import org.jspecify.annotations.NullMarked;
