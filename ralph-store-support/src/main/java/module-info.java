/** What every durable store needs once. */
@SuppressWarnings("module") // those it exports to are built later
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
