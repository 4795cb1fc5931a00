/** Mail between agents, programs and people that share a store. */
module dev.ralph.mail {
  requires transitive dev.ralph.api;
  requires transitive dev.ralph.core;
  requires static org.jspecify;

  exports dev.ralph.mail;
}
