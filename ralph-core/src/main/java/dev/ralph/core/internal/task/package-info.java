/** The tasks of a session: what their frames mean, what may be decided, and the view of them. */
@ParametersAreNonnullByDefault
package dev.ralph.core.internal.task;

import javax.annotation.ParametersAreNonnullByDefault;
