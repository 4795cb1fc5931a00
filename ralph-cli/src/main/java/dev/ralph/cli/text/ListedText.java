package dev.ralph.cli.text;

import dev.ralph.Message;
import dev.ralph.Note;
import dev.ralph.log.Meta;
import java.util.function.IntFunction;
import org.jspecify.annotations.Nullable;

/**
 * A stored text as a list has it: whole unless it is long, so that a list of files that somebody
 * piped in stays one that can be read.
 *
 * @param text the text, or its beginning
 * @param length how many characters the whole text has
 */
public record ListedText(String text, int length) {

  private static final int LONG = 16 * 1024;

  private static final int BEGINNING = 256;

  /** Returns what a list has of a note. */
  public static ListedText of(Note note) {
    return of(note.length(), note::beginning);
  }

  /** Returns what a list has of a message. */
  public static ListedText of(Message message) {
    return of(message.length(), message::beginning);
  }

  /**
   * Returns what a list has of a text.
   *
   * @param beginning returns so many characters of it
   */
  public static ListedText of(int length, IntFunction<String> beginning) {
    return new ListedText(beginning.apply(length > LONG ? BEGINNING : length), length);
  }

  /**
   * Returns the text for people; its further lines are indented.
   *
   * @param show the command that shows all of it
   */
  public String indented(String show) {
    String shown = SafeText.text(text).replace("\n", "\n    ");
    return wholeLength() == null
        ? shown
        : shown + "… (" + text.length() + " of " + length + " characters; " + show + " has all)";
  }

  /** Returns a meta with this text, and with its length where that is not all of it. */
  public Meta in(Meta meta, String member) {
    return meta.with(member, text).with("length", wholeLength());
  }

  private @Nullable Integer wholeLength() {
    return text.length() == length ? null : length;
  }
}
