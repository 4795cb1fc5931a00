/** Adapters for agent clients. */
@SuppressWarnings("requires-automatic") // jsr305 declares no module name
module dev.ralph.agents {
  requires transitive dev.ralph.core;
  requires com.fasterxml.jackson.core;
  requires com.fasterxml.jackson.databind;
  requires static jsr305;
  requires static org.jspecify;

  exports dev.ralph.agents;
}
