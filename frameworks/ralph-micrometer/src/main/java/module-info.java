/** Meters and observations of loops by Micrometer. */
@SuppressWarnings({"requires-automatic", "requires-transitive-automatic"}) // Micrometer's modules
module dev.ralph.micrometer {
  requires transitive dev.ralph.api;
  requires transitive micrometer.core;
  requires transitive micrometer.observation;
  requires micrometer.commons;
  requires static org.jspecify;

  exports dev.ralph.micrometer;
}
