/** Shared parts of durable stores. */
@SuppressWarnings("module") // the modules in the "to" clauses are built later
module dev.ralph.store.support {
  requires transitive dev.ralph.api;
  requires static org.jspecify;

  exports dev.ralph.store.support;
  exports dev.ralph.store.support.internal.file to
      dev.ralph.store.chronicle,
      dev.ralph.store.file,
      dev.ralph.tx;
  exports dev.ralph.store.support.internal.folder to
      dev.ralph.cli,
      dev.ralph.store.chronicle,
      dev.ralph.store.file,
      dev.ralph.tx;
  exports dev.ralph.store.support.internal.segment to
      dev.ralph.store.chronicle,
      dev.ralph.store.file;
}
