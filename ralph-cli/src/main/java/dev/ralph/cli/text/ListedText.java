package dev.ralph.cli.text;

import dev.ralph.Message;
import dev.ralph.Note;
import dev.ralph.domain.KeptText;
import dev.ralph.log.Meta;
import org.jspecify.annotations.Nullable;

/**
 * A stored text as a list has it: whole unless it is long, so that a list of files that somebody
 * piped in stays one that can be read.
 *
 * @param text the text, or its beginning
 * @param length how many characters the whole text has
 */
public record ListedText(String text, int length) {

  /** Returns what a list has of a note. */
  public static ListedText of(Note note) {
    int length = note.length();
    return new ListedText(note.beginning(length > KeptText.LONG ? KeptText.KEPT : length), length);
  }

  /** Returns what a list has of a message. */
  public static ListedText of(Message message) {
    int length = message.length();
    return new ListedText(
        message.beginning(length > KeptText.LONG ? KeptText.KEPT : length), length);
  }

  /** Returns a text that is shown whole, however long it is. */
  public static ListedText whole(String text) {
    return new ListedText(text, text.length());
  }

  /**
   * Returns the text for people; its further lines are indented.
   *
   * @param show the command that shows all of it
   */
  public String indented(String show) {
    String shown = SafeText.indented(text);
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
