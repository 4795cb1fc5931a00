/** The iterations of a session, and what the agent said in them. */
@ParametersAreNonnullByDefault
package dev.ralph.core.internal.iteration;

import javax.annotation.ParametersAreNonnullByDefault;
