/** An MCP server that provides sessions as tools. */
@NullMarked
package dev.ralph.mcp;

import org.jspecify.annotations.NullMarked;
