/** Agents that are any command, for {@link dev.ralph.Session#loop}. */
@ParametersAreNonnullByDefault
package dev.ralph.core;

import javax.annotation.ParametersAreNonnullByDefault;
