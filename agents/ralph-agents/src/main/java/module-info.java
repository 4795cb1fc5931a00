/** Adapters for agent clients. */
@SuppressWarnings({
  "module", // the module in the "to" clause is built later
  "requires-automatic" // jsr305 declares no module name
})
module dev.ralph.agents {
  requires transitive dev.ralph.core;
  requires com.fasterxml.jackson.core;
  requires com.fasterxml.jackson.databind;
  requires static jsr305;
  requires static org.jspecify;

  exports dev.ralph.agents;
  exports dev.ralph.agents.internal to
      dev.ralph.cli;
}
