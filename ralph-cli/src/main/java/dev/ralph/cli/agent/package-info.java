/** The commands by which an orchestrator and its agents work through an OpenSpec change. */
@NullMarked
package dev.ralph.cli.agent;

import org.jspecify.annotations.NullMarked;
