/** Renders the prompts of agents: a template, filled with the state of a session. */
@NullMarked
package dev.ralph.core.internal.prompt;

import org.jspecify.annotations.NullMarked;
