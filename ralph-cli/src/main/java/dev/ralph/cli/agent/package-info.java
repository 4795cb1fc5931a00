/** The commands for orchestrators and their agents on an OpenSpec change. */
@NullMarked
package dev.ralph.cli.agent;

import org.jspecify.annotations.NullMarked;
