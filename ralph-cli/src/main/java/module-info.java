/** The {@code ralph} command. */
module dev.ralph.cli {
  requires dev.ralph.agentmail;
  requires dev.ralph.agents;
  requires dev.ralph.api;
  requires dev.ralph.core;
  requires dev.ralph.mail;
  requires dev.ralph.mcp;
  requires dev.ralph.openspec;
  requires dev.ralph.store.file;
  requires dev.ralph.store.socket;
  requires dev.ralph.store.support;
  requires dev.ralph.test;
  requires dev.ralph.transfer;
  requires dev.ralph.tx;
  requires dev.ralph.web;
  requires jdk.unsupported; // signals of the terminal
  requires org.apache.commons.cli;
  requires static org.jspecify;

  uses dev.ralph.spi.FrameStoreProvider;
}
