/** Sessions as the tools of an MCP server. */
module dev.ralph.mcp {
  requires transitive dev.ralph.api;
  requires static org.jspecify;

  exports dev.ralph.mcp;
}
