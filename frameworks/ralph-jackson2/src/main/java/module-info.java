/** Codecs of step results, frame contents and fold states by Jackson 2. */
@SuppressWarnings("module") // the name ends in a digit, as the package's name does
module dev.ralph.jackson2 {
  requires transitive com.fasterxml.jackson.databind;
  requires transitive dev.ralph.api;
  requires static org.jspecify;

  exports dev.ralph.jackson2;
}
