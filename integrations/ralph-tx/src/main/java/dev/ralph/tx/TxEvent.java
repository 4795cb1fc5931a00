package dev.ralph.tx;

import java.util.Locale;
import org.jspecify.annotations.Nullable;

/** An event in the delivery of a file. */
public final class TxEvent {

  /** The kinds of events. */
  public enum Kind {
    /**
     * The message was ingested and waits for its agent. {@link #why} contains a warning, if any.
     */
    TAKEN("is accepted"),
    /** The agent has received the message. */
    DELIVERED("is delivered"),
    /** The delivery failed, or the routing of the mesh is broken; the delivery is retried. */
    FAILED("could not be delivered"),
    /** The message has no recipient, or the routing of its mesh rejects it. */
    REFUSED("is refused"),
    /** The deadline passed before the delivery. */
    EXPIRED("has expired"),
    /** TX has set the file aside. */
    ORPHAN("is an orphan"),
    /** A file with the same bytes was ingested before, under another name. */
    RENAMED("has another name"),
    /** A message with the same msg-id and another text was ingested before. */
    OTHER_TEXT("has a second text for its msg-id"),
    /** The file cannot be read, or does not contain a message. */
    UNREADABLE("cannot be read"),
    /** The file was changed after its ingest. */
    CHANGED("was changed"),
    /** The file was deleted before the delivery. */
    GONE("is gone"),
    /** The routing of a mesh has a problem, or the ingest failed for a time. */
    WARNING("needs attention");

    private final String sentence;

    Kind(String sentence) {
      this.sentence = sentence;
    }

    /** Returns the word for this kind in the log, such as {@code other-text}. */
    public String word() {
      return name().toLowerCase(Locale.ROOT).replace('_', '-');
    }

    static @Nullable Kind of(@Nullable String word) {
      for (Kind kind : values()) {
        if (kind.word().equals(word)) {
          return kind;
        }
      }
      return null;
    }
  }

  private final Kind kind;
  private final String file;
  private final @Nullable TxAddress to;
  private final @Nullable String why;

  TxEvent(Kind kind, String file, @Nullable TxAddress to, @Nullable String why) {
    this.kind = kind;
    this.file = file;
    this.to = to;
    this.why = why;
  }

  /** Returns the kind. */
  public Kind kind() {
    return kind;
  }

  /** Returns the name of the file. */
  public String file() {
    return file;
  }

  /**
   * Returns the recipient of the message, or null if the field is missing or there is no message.
   */
  public @Nullable TxAddress to() {
    return to;
  }

  /** Returns the reason or a warning in a single line, or null. */
  public @Nullable String why() {
    return why;
  }

  /** Returns the event as a line for people. */
  @Override
  public String toString() {
    return OneLine.visible(file)
        + " "
        + kind.sentence
        + (kind == Kind.TAKEN || kind == Kind.DELIVERED ? " for " + to : "")
        + (why == null ? "" : ": " + OneLine.visible(why));
  }
}
