/**
 * Renders the prompts of agents: a template, filled with the state of a session. Begin with {@link
 * dev.ralph.core.internal.prompt.SessionPrompt}; each section of a prompt has a class of its own,
 * and {@link dev.ralph.core.internal.prompt.PromptTemplate} fills placeholders.
 */
@NullMarked
package dev.ralph.core.internal.prompt;

import org.jspecify.annotations.NullMarked;
