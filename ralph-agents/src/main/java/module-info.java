/** Adapters for real agent clients. */
module dev.ralph.agents {
  requires transitive dev.ralph.core;
  requires com.fasterxml.jackson.core;
  requires com.fasterxml.jackson.databind;
  requires static org.jspecify;

  exports dev.ralph.agents;
}
