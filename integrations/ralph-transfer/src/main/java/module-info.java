/** Export and import of logs. */
module dev.ralph.transfer {
  requires transitive dev.ralph.api;
  requires com.fasterxml.jackson.core;
  requires dev.ralph.core;
  requires static org.jspecify;

  exports dev.ralph.transfer;
}
