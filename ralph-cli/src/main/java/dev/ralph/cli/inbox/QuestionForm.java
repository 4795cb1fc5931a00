package dev.ralph.cli.inbox;

import dev.ralph.Question;
import dev.ralph.Session;
import dev.ralph.cli.call.ListOutput;
import dev.ralph.cli.terminal.Style;
import dev.ralph.cli.text.ListedText;
import dev.ralph.cli.text.Times;
import dev.ralph.core.internal.json.JsonProfile;
import dev.ralph.core.internal.json.SessionJson;
import dev.ralph.log.Meta;
import org.jspecify.annotations.Nullable;

/** Renders questions as text and JSON. */
public final class QuestionForm {

  /** The listing of questions. */
  static final ListOutput<Question> LISTING =
      new ListOutput<>("questions", "questions", QuestionForm::json, QuestionForm::line);

  private QuestionForm() {}

  /**
   * Returns a question as text, with further lines for a text of several lines. A long text is cut.
   */
  public static String line(Question question, Style style) {
    return line(question, ListedText.of(question), ListedText.ofAnswer(question), style);
  }

  /** Returns a question as text, with the whole text and answer. */
  static String wholeLine(Question question, Style style) {
    return line(question, ListedText.whole(question.text()), wholeAnswer(question), style);
  }

  private static String line(
      Question question, ListedText text, @Nullable ListedText answer, Style style) {
    String show = "questions q" + question.number();
    return "q"
        + question.number()
        + " ["
        + question.shortId()
        + "] "
        + style.faint(Times.local(question.asked()))
        + (question.iteration() == 0 ? "" : " #" + question.iteration())
        + ": "
        + text.indented(show)
        + (answer == null ? "" : "\n    Answer: " + answer.indented(show));
  }

  private static @Nullable ListedText wholeAnswer(Question question) {
    String answer = question.answer();
    return answer == null ? null : ListedText.whole(answer);
  }

  /** Returns the command that answers a question. */
  public static String command(Session session, Question question) {
    return command(" -n " + session.name(), "q" + question.number());
  }

  /**
   * Returns the command that answers a question.
   *
   * @param where the options that name the session, each with a space before it
   */
  public static String command(String where, String ref) {
    return "ralph answer" + where + " " + ref + " TEXT";
  }

  /** Returns a question as a JSON object. A long text or answer is cut. */
  public static Meta json(Question question) {
    return SessionJson.question(question, JsonProfile.LISTED);
  }

  /** Returns a question as a JSON object, with the whole text and answer. */
  static Meta whole(Question question) {
    return SessionJson.question(question, JsonProfile.FULL);
  }
}
