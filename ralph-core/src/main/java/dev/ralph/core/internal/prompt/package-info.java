/** What an agent is told: a template, filled with the state of its session. */
@NullMarked
package dev.ralph.core.internal.prompt;

import org.jspecify.annotations.NullMarked;
