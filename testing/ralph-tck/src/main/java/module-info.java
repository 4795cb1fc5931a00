/**
 * Conformance tests of stores. JUnit calls their package-private methods, so the module is open.
 */
open module dev.ralph.tck {
  requires transitive dev.ralph.api;
  requires transitive org.assertj.core;
  requires transitive org.junit.jupiter.api;
  requires org.junit.platform.commons;
  requires static org.jspecify;

  exports dev.ralph.tck;
}
