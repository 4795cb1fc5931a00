package dev.ralph.mcp;

/**
 * Where goes what one message is answered with, in a transport of the host's own. Called by one
 * thread at a time, with a lock of the connection held: it must not wait for another message.
 */
public interface Replies {

  /**
   * Sends the client something before the reply: how far a call is.
   *
   * @param message one JSON object without line breaks
   * @return false if the client is gone
   */
  default boolean tell(String message) {
    return send(message);
  }

  /**
   * Sends the reply.
   *
   * @param message one JSON object without line breaks; an array of them if an array was received
   * @return false if the client is gone
   */
  boolean send(String message);

  /**
   * Sends a reply that refuses a request.
   *
   * @param code that of JSON-RPC, for transports that have a status of their own
   * @return false if the client is gone
   */
  default boolean refuse(int code, String message) {
    return send(message);
  }

  /** Says that nothing more comes, maybe after nothing at all. */
  default void end() {}
}
