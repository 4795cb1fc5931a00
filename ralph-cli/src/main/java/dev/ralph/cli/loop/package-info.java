/** The commands that run an agent, or make ready for it. */
@NullMarked
package dev.ralph.cli.loop;

import org.jspecify.annotations.NullMarked;
