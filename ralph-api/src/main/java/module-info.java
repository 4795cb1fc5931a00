/** The public API for programs and stores. */
@SuppressWarnings({
  "module", // the internal package is exported to modules that are built later
  "requires-automatic" // jsr305 names none; nobody else needs it
})
module dev.ralph.api {
  requires static com.fasterxml.jackson.annotation;
  requires static jsr305;
  requires static org.jspecify;

  exports dev.ralph;
  exports dev.ralph.log;
  exports dev.ralph.spi;
  exports dev.ralph.tool;
  exports dev.ralph.internal to
      dev.ralph.agents,
      dev.ralph.cli,
      dev.ralph.core,
      dev.ralph.mcp,
      dev.ralph.openspec,
      dev.ralph.spring.ai,
      dev.ralph.spring.boot,
      dev.ralph.store.support,
      dev.ralph.tx,
      dev.ralph.web;

  // Jackson calls the methods json() of values by reflection.
  opens dev.ralph.internal to
      com.fasterxml.jackson.databind,
      tools.jackson.databind;

  uses dev.ralph.Engine;
  uses dev.ralph.spi.FrameStoreProvider;
}
