/** An MCP server that provides sessions as tools. */
module dev.ralph.mcp {
  requires transitive dev.ralph.api;
  requires static org.jspecify;

  exports dev.ralph.mcp;
}
