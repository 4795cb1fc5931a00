/**
 * An MCP server that provides sessions as tools. Begin with {@link dev.ralph.mcp.SessionServer}.
 * Inside, {@link dev.ralph.mcp.Connection} reads lines, {@link dev.ralph.mcp.RpcDialogue} answers
 * messages, {@link dev.ralph.mcp.ToolCalls} executes tool calls, and {@link
 * dev.ralph.mcp.ServedTools} selects the tools.
 */
@NullMarked
package dev.ralph.mcp;

import org.jspecify.annotations.NullMarked;
