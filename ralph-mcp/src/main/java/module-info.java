/** Sessions as the tools of an MCP server. */
@SuppressWarnings("requires-automatic")
module dev.ralph.mcp {
  requires transitive dev.ralph.api;
  requires dev.ralph.core;
  requires com.fasterxml.jackson.core;
  requires com.fasterxml.jackson.databind;
  requires io.modelcontextprotocol.sdk.mcp.core;
  requires io.modelcontextprotocol.sdk.mcp.json.jackson2;
  requires reactor.core;
  requires static jsr305;

  exports dev.ralph.mcp;
}
