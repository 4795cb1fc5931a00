package dev.ralph.cli.text;

import dev.ralph.Message;
import dev.ralph.Note;
import dev.ralph.Question;
import dev.ralph.Task;
import dev.ralph.domain.KeptText;
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

  /** Returns what a list has of a note. */
  public static ListedText of(Note note) {
    return of(note.length(), note::beginning);
  }

  /** Returns what a list has of a message. */
  public static ListedText of(Message message) {
    return of(message.length(), message::beginning);
  }

  /** Returns what a list has of a task. */
  public static ListedText of(Task task) {
    return of(task.length(), task::beginning);
  }

  /** Returns what a list has of a question. */
  public static ListedText of(Question question) {
    return of(question.length(), question::beginning);
  }

  /** Returns what a list has of the answer to a question, or null while there is none. */
  public static @Nullable ListedText ofAnswer(Question question) {
    int length = question.answerLength();
    String beginning = question.answerBeginning(listed(length));
    return beginning == null ? null : new ListedText(beginning, length);
  }

  /**
   * Returns what a list has of a text.
   *
   * @param beginning returns so many characters of it
   */
  public static ListedText of(int length, IntFunction<String> beginning) {
    return new ListedText(beginning.apply(listed(length)), length);
  }

  private static int listed(int length) {
    return length > KeptText.LONG ? KeptText.KEPT : length;
  }

  /** Returns a text that is shown whole, however long it is. */
  public static ListedText whole(String text) {
    return new ListedText(text, text.length());
  }

  /**
   * Returns the text for people; its further lines are indented.
   *
   * @param show the command that shows all of it, where this is not all
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

  /** Returns how many characters the whole text has, or null where this is all of it. */
  public @Nullable Integer wholeLength() {
    return text.length() == length ? null : length;
  }
}
