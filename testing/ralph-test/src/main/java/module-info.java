/** Test support for programs that embed Ralph. */
module dev.ralph.test {
  requires transitive dev.ralph.api;
  requires dev.ralph.core;
  requires static org.jspecify;

  exports dev.ralph.test;
}
