/** For a host's own tests of its harness. */
@SuppressWarnings("requires-automatic")
module dev.ralph.test {
  requires transitive dev.ralph.api;
  requires dev.ralph.core;
  requires static jsr305;

  exports dev.ralph.test;
}
