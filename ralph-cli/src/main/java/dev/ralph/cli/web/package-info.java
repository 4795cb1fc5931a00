/** The commands that give people and agents access over HTTP. */
@NullMarked
package dev.ralph.cli.web;

import org.jspecify.annotations.NullMarked;
