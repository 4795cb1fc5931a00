package dev.ralph.web.internal.http;

import java.io.IOException;

/** Answers the requests to a path. Called by many threads. */
@FunctionalInterface
public interface Endpoint {

  /**
   * Answers a request. A {@link dev.ralph.log.RalphException} or an {@link HttpFailure} before the
   * response is sent as JSON. For other exceptions the client receives no details.
   *
   * @throws IOException if the client has disconnected
   */
  void handle(Exchange exchange) throws IOException;
}
