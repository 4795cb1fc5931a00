/** Adapters for real agent clients. */
@SuppressWarnings("requires-automatic")
module dev.ralph.agents {
  requires transitive dev.ralph.core;
  requires com.fasterxml.jackson.core;
  requires com.fasterxml.jackson.databind;
  requires static jsr305;

  exports dev.ralph.agents;
}
