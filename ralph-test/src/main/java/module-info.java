/** For a host's own tests of its harness. */
module dev.ralph.test {
  requires transitive dev.ralph.api;
  requires dev.ralph.core;
  requires static org.jspecify;

  exports dev.ralph.test;
}
