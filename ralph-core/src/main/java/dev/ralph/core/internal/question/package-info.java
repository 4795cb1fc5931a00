/**
 * The questions of agents to the operator of a session. Begin with {@link
 * dev.ralph.core.internal.question.QuestionFold}, which lists the frames, then read {@link
 * dev.ralph.core.internal.question.QuestionDecider} for the rules.
 */
@NullMarked
package dev.ralph.core.internal.question;

import org.jspecify.annotations.NullMarked;
