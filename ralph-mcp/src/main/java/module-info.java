/** Sessions as the tools of an MCP server. */
@SuppressWarnings("requires-automatic")
module dev.ralph.mcp {
  requires transitive dev.ralph.api;
  requires static jsr305;

  exports dev.ralph.mcp;
}
