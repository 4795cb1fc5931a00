package dev.ralph.mcp;

import java.io.IOException;
import java.io.OutputStream;
import java.lang.System.Logger.Level;
import java.nio.charset.StandardCharsets;

/** Writes messages as lines to a stream that all replies of a connection share. */
final class LineReplies implements SessionServer.Replies {

  private final OutputStream out;

  /**
   * Creates a writer.
   *
   * @param out the stream; not closed
   */
  LineReplies(OutputStream out) {
    this.out = out;
  }

  @Override
  public boolean send(String message) {
    try {
      out.write((message + "\n").getBytes(StandardCharsets.UTF_8));
      out.flush();
      return true;
    } catch (IOException e) {
      System.getLogger(LineReplies.class.getName())
          .log(Level.DEBUG, "a reply could not be written: the client has disconnected", e);
      return false;
    }
  }
}
