package dev.ralph.tx;

import java.util.Locale;
import org.jspecify.annotations.Nullable;

/** Something that happened to a file on its way to an agent. */
public final class TxEvent {

  /** What can happen. */
  public enum Kind {
    /** It waits for its agent now. If something is odd about it, {@link #why} says what. */
    TAKEN("is taken up"),
    /** Its agent has got it. */
    DELIVERED("is delivered"),
    /** It could not be given to its agent, or the routing of its mesh is broken; tried again. */
    FAILED("could not be delivered"),
    /** It does not say whom it is for, or the routing of its mesh does not let it pass. */
    REFUSED("is refused"),
    /** Its deadline had passed before its agent could get it. */
    EXPIRED("has expired"),
    /** TX has set it aside. */
    ORPHAN("is an orphan"),
    /** A file of the same bytes was taken up before, under another name. */
    RENAMED("has another name"),
    /** Another text was taken up before under its msg-id. */
    OTHER_TEXT("is a second text under its msg-id"),
    /** It can't be read, or no message can be made of it. */
    UNREADABLE("can't be read"),
    /** It was changed after it was taken up. */
    CHANGED("was changed"),
    /** It was deleted before its agent could get it. */
    GONE("is gone"),
    /** The routing of a mesh has something wrong, or taking up files did not work for a time. */
    WARNING("is to be looked at");

    private final String sentence;

    Kind(String sentence) {
      this.sentence = sentence;
    }

    /** Returns the word that stands for it in the log, such as {@code other-text}. */
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

  /** Returns what happened. */
  public Kind kind() {
    return kind;
  }

  /** Returns the name of the file. */
  public String file() {
    return file;
  }

  /** Returns the agent whom the message is for, or null if it does not say, or is none. */
  public @Nullable TxAddress to() {
    return to;
  }

  /** Returns why, or what there is to say of it, in a line; null if there is nothing. */
  public @Nullable String why() {
    return why;
  }

  /** Returns it as a line for people. */
  @Override
  public String toString() {
    return OneLine.visible(file)
        + " "
        + kind.sentence
        + (kind == Kind.TAKEN || kind == Kind.DELIVERED ? " for " + to : "")
        + (why == null ? "" : ": " + OneLine.visible(why));
  }
}
