/** Stories of an OpenSpec change, and the loop over them. */
@SuppressWarnings("module") // the modules in the "to" clauses are built later
module dev.ralph.openspec {
  requires transitive dev.ralph.api;
  requires dev.ralph.core;
  requires static org.jspecify;

  exports dev.ralph.openspec;
  exports dev.ralph.openspec.internal to
      dev.ralph.cli;
}
