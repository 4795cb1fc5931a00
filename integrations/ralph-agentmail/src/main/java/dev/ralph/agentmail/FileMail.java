package dev.ralph.agentmail;

import dev.ralph.domain.Priority;
import dev.ralph.mail.Mail;
import java.time.Instant;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** A message of a file as a mail; most fields are empty. */
final class FileMail implements Mail {

  private final AgentMessage message;
  private final boolean read;

  /** Creates the mail, which is read if the message is read or is being received. */
  FileMail(AgentMessage message, boolean received) {
    this.message = message;
    this.read = received || message.isRead();
  }

  @Override
  public String id() {
    return message.id();
  }

  @Override
  public String ref() {
    return message.id();
  }

  @Override
  public String box() {
    return message.to();
  }

  @Override
  public String from() {
    return message.from();
  }

  @Override
  public List<String> to() {
    return List.of(message.to());
  }

  @Override
  public String commonId() {
    return message.id();
  }

  @Override
  public @Nullable String type() {
    return null;
  }

  @Override
  public @Nullable String replyTo() {
    return null;
  }

  @Override
  public @Nullable String headline() {
    return null;
  }

  @Override
  public Priority priority() {
    return Priority.NORMAL;
  }

  @Override
  public List<String> tags() {
    return List.of();
  }

  @Override
  public @Nullable Instant deadline() {
    return null;
  }

  @Override
  public @Nullable Instant awaitedUntil() {
    return null;
  }

  @Override
  public String text() {
    return message.text();
  }

  @Override
  public String beginning(int characters) {
    String text = message.text();
    if (text.length() <= characters) {
      return text;
    }
    int end = Math.max(0, characters);
    boolean halves = end > 0 && Character.isHighSurrogate(text.charAt(end - 1));
    return text.substring(0, halves ? end - 1 : end);
  }

  @Override
  public int length() {
    return message.text().length();
  }

  @Override
  public @Nullable Instant sent() {
    return null;
  }

  @Override
  public State state() {
    return read ? State.READ : State.WAITING;
  }

  @Override
  public @Nullable Instant heldUntil() {
    return null;
  }

  @Override
  public String toString() {
    return message.toString();
  }
}
