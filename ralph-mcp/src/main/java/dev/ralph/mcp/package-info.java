/** Sessions as the tools of a Model Context Protocol server. */
@ParametersAreNonnullByDefault
package dev.ralph.mcp;

import javax.annotation.ParametersAreNonnullByDefault;
