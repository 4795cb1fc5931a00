package dev.ralph.cli.text;

import dev.ralph.Message;
import dev.ralph.Note;
import dev.ralph.Question;
import dev.ralph.Task;
import dev.ralph.core.internal.json.JsonProfile;
import dev.ralph.log.Meta;
import java.util.function.IntFunction;
import org.jspecify.annotations.Nullable;

/**
 * A stored text in a list. A long text is cut, so that a list with files from standard input stays
 * readable.
 *
 * @param text the text, or its beginning
 * @param length the length of the whole text in characters
 */
public record ListedText(String text, int length) {

  /** Returns the listed text of a note. */
  public static ListedText of(Note note) {
    return of(note.length(), note::beginning);
  }

  /** Returns the listed text of a message. */
  public static ListedText of(Message message) {
    return of(message.length(), message::beginning);
  }

  /** Returns the listed text of a task. */
  public static ListedText of(Task task) {
    return of(task.length(), task::beginning);
  }

  /** Returns the listed text of a question. */
  public static ListedText of(Question question) {
    return of(question.length(), question::beginning);
  }

  /** Returns the listed text of a question's answer, or null without an answer. */
  public static @Nullable ListedText ofAnswer(Question question) {
    int length = question.answerLength();
    String beginning = question.answerBeginning(listed(length));
    return beginning == null ? null : new ListedText(beginning, length);
  }

  /**
   * Returns the listed text of a text.
   *
   * @param beginning returns the given number of characters from the beginning
   */
  public static ListedText of(int length, IntFunction<String> beginning) {
    return new ListedText(beginning.apply(listed(length)), length);
  }

  private static int listed(int length) {
    return JsonProfile.LISTED.characters(length);
  }

  /** Returns an uncut text. */
  public static ListedText whole(String text) {
    return new ListedText(text, text.length());
  }

  /**
   * Returns the text for people, with further lines indented.
   *
   * @param show the command that shows the whole text, used if the text is cut
   */
  public String indented(String show) {
    String shown = SafeText.indented(text);
    return text.length() == length
        ? shown
        : shown + "… (" + text.length() + " of " + length + " characters; " + show + " has all)";
  }

  /** Adds the text to a meta, and the length if the text is cut. */
  public Meta in(Meta meta, String member) {
    return meta.with(member, text).with("length", text.length() == length ? null : length);
  }
}
