/**
 * The tools of sessions over MCP's Streamable HTTP. Begin with {@link
 * dev.ralph.web.internal.mcp.McpEndpoint}.
 */
@NullMarked
package dev.ralph.web.internal.mcp;

import org.jspecify.annotations.NullMarked;
