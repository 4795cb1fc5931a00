/** Runs an agent on a session again and again, in steps. */
@ParametersAreNonnullByDefault
package dev.ralph.core.internal.loop;

import javax.annotation.ParametersAreNonnullByDefault;
