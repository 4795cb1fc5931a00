/** Mail between agents, programs and people that share a store. */
module dev.ralph.mail {
  requires transitive dev.ralph.api;
  requires transitive dev.ralph.core;
  requires com.fasterxml.jackson.core;
  requires dev.ralph.store.support;
  requires static org.jspecify;
  requires static org.snakeyaml.engine;

  exports dev.ralph.mail;
  exports dev.ralph.mail.agentmail;
  exports dev.ralph.mail.tx;
}
