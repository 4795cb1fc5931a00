/** Stories of an OpenSpec change, and the loop over them. */
module dev.ralph.openspec {
  requires transitive dev.ralph.api;
  requires dev.ralph.core;
  requires static org.jspecify;

  exports dev.ralph.openspec;
}
