/** Codecs of step results, frame contents and fold states by Jackson 3. */
@SuppressWarnings("module") // the name ends in a digit, as the package's name does
module dev.ralph.jackson3 {
  requires transitive dev.ralph.api;
  requires transitive tools.jackson.databind;
  requires static org.jspecify;

  exports dev.ralph.jackson3;
}
