/** An HTTP server for sessions. */
module dev.ralph.web {
  requires transitive dev.ralph.api;
  requires transitive jdk.httpserver;
  requires dev.ralph.core;
  requires dev.ralph.mcp;
  requires static org.jspecify;

  exports dev.ralph.web;
}
