/** What a host program and a storage backend see. */
module dev.ralph.api {
  requires static org.jspecify;

  exports dev.ralph;
  exports dev.ralph.log;
  exports dev.ralph.spi;
  exports dev.ralph.tool;

  uses dev.ralph.spi.Engine;
  uses dev.ralph.spi.FrameStoreProvider;
}
