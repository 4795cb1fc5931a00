/** The commands that let people and agents in over HTTP. */
@NullMarked
package dev.ralph.cli.web;

import org.jspecify.annotations.NullMarked;
