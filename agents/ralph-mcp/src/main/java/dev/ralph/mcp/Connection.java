package dev.ralph.mcp;

import dev.ralph.log.Meta;
import dev.ralph.log.RalphException;
import dev.ralph.mcp.ReplySender.Sender;
import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.io.SequenceInputStream;
import java.lang.System.Logger.Level;
import java.nio.ByteBuffer;
import java.nio.charset.CharacterCodingException;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.List;

/**
 * A connection to one client with JSON-RPC messages as lines over two streams. All input is
 * answered, including invalid lines and calls that run when the input ends.
 */
final class Connection {

  private static final int LONGEST_LINE = 16 << 20;

  private static final int END = -1;

  private static final int PARSE_ERROR = -32700;
  private static final int INVALID_REQUEST = -32600;

  private final InputStream in;
  private final SessionServer.Replies out;
  private final RpcDialogue dialogue;
  private final ReplySender answers;

  private volatile boolean closed;

  Connection(InputStream in, OutputStream out, RpcDialogue dialogue) {
    this.in = in;
    this.out = new LineReplies(out);
    this.dialogue = dialogue;
    this.answers = dialogue.answers();
  }

  /**
   * Reads and answers messages until the input ends or fails, and then waits for the running calls.
   *
   * @param grace the longest wait
   */
  void run(Duration grace) {
    ClientLines lines = new ClientLines(in, LONGEST_LINE);
    try {
      while (!closed) {
        byte[] line = lines.next();
        if (line == null) {
          break;
        }
        if (lines.cut()) {
          refuse(
              new SequenceInputStream(new ByteArrayInputStream(line), lines.rest()),
              "the line is too long: the limit is " + LONGEST_LINE + " bytes");
        } else if (firstOf(line) == '[') {
          receiveBatch(line);
        } else if (firstOf(line) != END) {
          receive(line);
        }
      }
    } catch (IOException e) {
      log().log(Level.DEBUG, "the input of an MCP server failed", e);
    }
    drain(grace);
  }

  /**
   * Rejects new messages and waits for the running calls.
   *
   * @param grace the longest wait
   */
  void drain(Duration grace) {
    closed = true;
    dialogue.drain(grace);
  }

  private void receive(byte[] line) {
    Meta message;
    try {
      message = Meta.parse(text(line));
    } catch (RalphException | CharacterCodingException e) {
      // A line with invalid UTF-8 may be a notification, but it is an error in any case.
      refuse(
          new ByteArrayInputStream(line),
          "a line must be a JSON object in UTF-8: " + e.getMessage());
      return;
    }
    dialogue.receive(message, null, out);
  }

  /** Replies to an invalid message with an error, with the id if it is readable. */
  private void refuse(InputStream line, String reason) {
    MessageMembers members = new MessageMembers(line);
    if (members.wantsAnswer()) {
      answers.error(new Sender(members.id(), null, out), PARSE_ERROR, reason);
    } else {
      log().log(Level.DEBUG, "invalid notification ignored: {0}", reason);
    }
  }

  private static String text(byte[] line) throws CharacterCodingException {
    return StandardCharsets.UTF_8.newDecoder().decode(ByteBuffer.wrap(line)).toString();
  }

  /** Returns the first byte that is no white space, or {@link #END}. */
  private static int firstOf(byte[] line) {
    for (byte b : line) {
      if (b != ' ' && b != '\t' && b != '\r') {
        return b;
      }
    }
    return END;
  }

  /** Receives a batch: an array of messages. */
  private void receiveBatch(byte[] line) {
    Meta wrapped;
    try {
      wrapped = Meta.parse("{\"messages\":" + text(line) + "}");
    } catch (RalphException | CharacterCodingException e) {
      answers.error(
          new Sender(MessageMembers.NO_ID, null, out),
          PARSE_ERROR,
          "a line must be a JSON object or an array of JSON objects in UTF-8");
      return;
    }
    if (wrapped.keys().size() > 1
        || !(wrapped.value("messages") instanceof List<?> messages)
        || messages.isEmpty()) {
      answers.error(
          new Sender(MessageMembers.NO_ID, null, out),
          INVALID_REQUEST,
          "a line must be a JSON object or an array of JSON objects");
      return;
    }
    ReplyBatch batch = new ReplyBatch(messages.size());
    for (Object message : messages) {
      if (message instanceof Meta object) {
        dialogue.receive(object, batch, out);
      } else {
        answers.error(
            new Sender(MessageMembers.NO_ID, batch, out),
            PARSE_ERROR,
            "each message of an array must be a JSON object");
      }
    }
  }

  private static System.Logger log() {
    return System.getLogger(Connection.class.getName());
  }
}
