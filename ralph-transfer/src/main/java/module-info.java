/** Logs from one store to another by way of a file. */
module dev.ralph.transfer {
  requires transitive dev.ralph.api;
  requires com.fasterxml.jackson.core;
  requires dev.ralph.core;
  requires static org.jspecify;

  exports dev.ralph.transfer;
}
