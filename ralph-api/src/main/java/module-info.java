/** What a host program and a storage backend see. */
@SuppressWarnings("requires-automatic")
module dev.ralph.api {
  requires static jsr305;

  exports dev.ralph;
  exports dev.ralph.log;
  exports dev.ralph.spi;
  exports dev.ralph.tool;

  uses dev.ralph.spi.Engine;
  uses dev.ralph.spi.FrameStoreProvider;
}
