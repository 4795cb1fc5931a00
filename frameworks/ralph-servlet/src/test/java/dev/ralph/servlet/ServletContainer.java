package dev.ralph.servlet;

import dev.ralph.web.RalphServer;
import java.nio.file.Path;

/** A servlet container of a test. Only classes of the JDK and of {@code ralph-web} appear here. */
public interface ServletContainer {

  /**
   * Adds a context with a servlet.
   *
   * @param mapping the mapping, for example {@code /ralph/*}
   * @param isAsync whether the servlet supports asynchronous requests
   */
  void add(String context, String mapping, RalphServer server, boolean isAsync);

  /** Starts on a free port of 127.0.0.1, and returns the port. */
  int start(Path folder) throws Exception;

  /** Returns the version of the servlet API, for example 6.0. */
  String version();

  void stop() throws Exception;
}
