/** The tools that an agent works on a session with. */
@ParametersAreNonnullByDefault
package dev.ralph.core.internal.tool;

import javax.annotation.ParametersAreNonnullByDefault;
