/** The public API for programs and storage backends. */
@SuppressWarnings("requires-automatic") // jsr305 names none; nobody else needs it
module dev.ralph.api {
  requires static jsr305;
  requires static org.jspecify;

  exports dev.ralph;
  exports dev.ralph.log;
  exports dev.ralph.spi;
  exports dev.ralph.tool;

  uses dev.ralph.Engine;
  uses dev.ralph.spi.FrameStoreProvider;
}
