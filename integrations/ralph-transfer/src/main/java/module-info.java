/** Export and import of logs. */
@SuppressWarnings("module") // the modules in the "to" clauses are built later
module dev.ralph.transfer {
  requires transitive dev.ralph.api;
  requires com.fasterxml.jackson.core;
  requires dev.ralph.core;
  requires static org.jspecify;

  exports dev.ralph.transfer.internal to
      dev.ralph.cli;
}
