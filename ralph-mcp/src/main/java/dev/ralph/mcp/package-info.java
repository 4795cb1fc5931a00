/** Sessions as the tools of a Model Context Protocol server. */
@NullMarked
package dev.ralph.mcp;

import org.jspecify.annotations.NullMarked;
