/** A store that keeps its log as JSON lines. */
module dev.ralph.store.file {
  requires transitive dev.ralph.api;
  requires dev.ralph.store.support;
  requires com.fasterxml.jackson.core;
  requires static org.jspecify;

  exports dev.ralph.store.file;

  provides dev.ralph.spi.FrameStoreProvider with
      dev.ralph.store.file.FileStoreProvider;
}
