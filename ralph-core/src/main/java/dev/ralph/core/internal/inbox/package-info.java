/** The messages of a session. */
@ParametersAreNonnullByDefault
package dev.ralph.core.internal.inbox;

import javax.annotation.ParametersAreNonnullByDefault;
