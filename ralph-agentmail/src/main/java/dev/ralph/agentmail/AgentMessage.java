package dev.ralph.agentmail;

import dev.ralph.log.Meta;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/** A message in a mailbox of AgentMail. Immutable. */
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
   * Returns the message that a JSON object stands for, or null if it lacks something. One that does
   * not say whether it was read is unread.
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

  /** Returns its line in a mailbox, without the line break. */
  String line() {
    return Meta.of("id", id)
        .with("from", from)
        .with("to", to)
        .with("message", text)
        .with("read_flag", read)
        .json();
  }

  /** Returns its id: 8 letters and digits, if it was made by a program that keeps to the rules. */
  public String id() {
    return id;
  }

  /** Returns who sent it. */
  public String from() {
    return from;
  }

  /** Returns whom it was sent to. */
  public String to() {
    return to;
  }

  /** Returns what it says. */
  public String text() {
    return text;
  }

  /** Returns whether it had been received when it was looked at. */
  public boolean isRead() {
    return read;
  }

  @Override
  public String toString() {
    return id + " from " + from + " to " + to;
  }
}
