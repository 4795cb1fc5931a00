/** Logs from one store to another by way of a file. */
@SuppressWarnings("requires-automatic") // the annotations have no name of their own
module dev.ralph.transfer {
  requires transitive dev.ralph.api;
  requires com.fasterxml.jackson.core;
  requires dev.ralph.core;
  requires static jsr305;

  exports dev.ralph.transfer;
}
