package dev.ralph.agentmail;

import dev.ralph.log.Meta;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/** A message in an AgentMail mailbox. Immutable. */
public final class AgentMessage {

  private final String id;
  private final String from;
  private final String to;
  private final String text;
  private final boolean read;

  private AgentMessage(String id, String from, String to, String text, boolean read) {
    this.id = Objects.requireNonNull(id, "id");
    this.from = Objects.requireNonNull(from, "from");
    this.to = Objects.requireNonNull(to, "to");
    this.text = Objects.requireNonNull(text, "text");
    this.read = read;
  }

  static AgentMessage unread(String id, String from, String to, String text) {
    return new AgentMessage(id, from, to, text, false);
  }

  /**
   * Returns the message of a JSON object, or null if a member is missing or invalid. A message
   * without read_flag is unread.
   */
  static @Nullable AgentMessage of(Meta json) {
    String id = json.string("id");
    String from = json.string("from");
    String to = json.string("to");
    String text = json.string("message");
    Object read = json.value("read_flag");
    return id == null
            || from == null
            || to == null
            || text == null
            || !(read == null || read instanceof Boolean)
        ? null
        : new AgentMessage(id, from, to, text, Boolean.TRUE.equals(read));
  }

  /** Returns the message's line in a mailbox, without the line break. */
  String line() {
    return Meta.of("id", id)
        .with("from", from)
        .with("to", to)
        .with("message", text)
        .with("read_flag", read)
        .json();
  }

  /** Returns the id; AgentMail's ids have 8 letters and digits. */
  public String id() {
    return id;
  }

  /** Returns the sender. */
  public String from() {
    return from;
  }

  /** Returns the recipient. */
  public String to() {
    return to;
  }

  /** Returns the text. */
  public String text() {
    return text;
  }

  /** Returns whether the message was read when this object was created. */
  public boolean isRead() {
    return read;
  }

  @Override
  public String toString() {
    return id + " from " + from + " to " + to;
  }
}
