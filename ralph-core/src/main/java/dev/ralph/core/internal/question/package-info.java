/** The questions of agents to the operator of a session. */
@ParametersAreNonnullByDefault
package dev.ralph.core.internal.question;

import javax.annotation.ParametersAreNonnullByDefault;
