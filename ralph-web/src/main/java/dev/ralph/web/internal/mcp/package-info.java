/** A session's tools over MCP's Streamable HTTP. */
@NullMarked
package dev.ralph.web.internal.mcp;

import org.jspecify.annotations.NullMarked;
