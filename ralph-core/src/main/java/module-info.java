/** Sessions, the loop, agents that are commands, and the store in memory. */
@SuppressWarnings({
  "module", // those it exports to are built later
  "requires-automatic" // jsr305 names none; nobody else needs it
})
module dev.ralph.core {
  requires transitive dev.ralph.api;
  requires static jsr305;
  requires static org.jspecify;

  exports dev.ralph.core;
  exports dev.ralph.domain;
  exports dev.ralph.store.memory;
  exports dev.ralph.core.internal.branch to
      dev.ralph.cli,
      dev.ralph.openspec;
  exports dev.ralph.core.internal.cost to
      dev.ralph.cli,
      dev.ralph.web;
  exports dev.ralph.core.internal.delivery to
      dev.ralph.agents,
      dev.ralph.cli;
  exports dev.ralph.core.internal.diff to
      dev.ralph.cli,
      dev.ralph.web;
  exports dev.ralph.core.internal.engine to
      dev.ralph.cli;
  exports dev.ralph.core.internal.git to
      dev.ralph.cli,
      dev.ralph.openspec,
      dev.ralph.web;
  exports dev.ralph.core.internal.host to
      dev.ralph.cli,
      dev.ralph.web;
  exports dev.ralph.core.internal.json to
      dev.ralph.cli,
      dev.ralph.web;
  exports dev.ralph.core.internal.message to
      dev.ralph.mail;
  exports dev.ralph.core.internal.process to
      dev.ralph.agentmail,
      dev.ralph.agents,
      dev.ralph.cli,
      dev.ralph.tx,
      dev.ralph.web;
  exports dev.ralph.core.internal.text to
      dev.ralph.agents,
      dev.ralph.cli,
      dev.ralph.mail,
      dev.ralph.openspec,
      dev.ralph.tx,
      dev.ralph.web;

  // Jackson calls the methods json() of values by reflection.
  opens dev.ralph.core.internal.iteration to
      com.fasterxml.jackson.databind,
      tools.jackson.databind;
  opens dev.ralph.core.internal.message to
      com.fasterxml.jackson.databind,
      tools.jackson.databind;
  opens dev.ralph.core.internal.note to
      com.fasterxml.jackson.databind,
      tools.jackson.databind;
  opens dev.ralph.core.internal.question to
      com.fasterxml.jackson.databind,
      tools.jackson.databind;
  opens dev.ralph.core.internal.task to
      com.fasterxml.jackson.databind,
      tools.jackson.databind;

  provides dev.ralph.Engine with
      dev.ralph.core.internal.engine.CoreEngine;
  provides dev.ralph.spi.FrameStoreProvider with
      dev.ralph.store.memory.MemoryStoreProvider;
}
