package dev.ralph.web.internal.http;

import java.io.IOException;

/** What answers requests to one path. Called by many threads. */
@FunctionalInterface
public interface Endpoint {

  /**
   * Answers a request. A {@link dev.ralph.log.RalphException} or an {@link HttpFailure} that it
   * throws before it answers is sent as JSON; of another one the client learns only that there was
   * one.
   *
   * @throws IOException if the client is gone
   */
  void handle(Exchange exchange) throws IOException;
}
