/**
 * Tools with which agents reach their session: as commands, as tools of an MCP server, or as Java
 * objects for agents in this program. Begin with {@link dev.ralph.tool.AgentTools} or {@link
 * dev.ralph.tool.Tools}.
 */
@NullMarked
package dev.ralph.tool;

import org.jspecify.annotations.NullMarked;
