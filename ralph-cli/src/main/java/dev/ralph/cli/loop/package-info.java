/** The commands that run an agent or prepare a run. */
@NullMarked
package dev.ralph.cli.loop;

import org.jspecify.annotations.NullMarked;
