/** The questions of agents to the operator of a session. */
@NullMarked
package dev.ralph.core.internal.question;

import org.jspecify.annotations.NullMarked;
