/** The tools of sessions over MCP's Streamable HTTP. */
@NullMarked
package dev.ralph.web.internal.mcp;

import org.jspecify.annotations.NullMarked;
