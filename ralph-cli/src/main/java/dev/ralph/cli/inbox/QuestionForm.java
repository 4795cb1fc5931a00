package dev.ralph.cli.inbox;

import dev.ralph.Question;
import dev.ralph.Session;
import dev.ralph.cli.call.Listing;
import dev.ralph.cli.terminal.Style;
import dev.ralph.cli.text.SafeText;
import dev.ralph.cli.text.Times;
import dev.ralph.log.Meta;

/** How a question is shown. */
public final class QuestionForm {

  /** How questions are listed. */
  static final Listing<Question> LISTING =
      new Listing<>("questions", "questions", QuestionForm::json, QuestionForm::line);

  private QuestionForm() {}

  /** Returns a question as a line, or several where its text has several. */
  public static String line(Question question, Style style) {
    String answer = question.answer();
    return "q"
        + question.number()
        + " ["
        + question.shortId()
        + "] "
        + style.faint(Times.local(question.asked()))
        + (question.iteration() == 0 ? "" : " #" + question.iteration())
        + ": "
        + SafeText.indented(question.text())
        + (answer == null ? "" : "\n    Answer: " + SafeText.indented(answer));
  }

  /** Returns the command that answers a question. */
  public static String command(Session session, Question question) {
    return command(" -n " + session.name(), "q" + question.number());
  }

  /**
   * Returns the command that answers a question.
   *
   * @param where the options that name the session, each with a blank before it
   */
  public static String command(String where, String ref) {
    return "ralph answer" + where + " " + ref + " TEXT";
  }

  /** Returns a question as an object. */
  public static Meta json(Question question) {
    return Meta.of("ref", "q" + question.number())
        .with("id", question.id())
        .with("short_id", question.shortId())
        .with("text", question.text())
        .with("asked", Times.format(question.asked()))
        .with("by", question.by())
        .with("iteration", question.iteration() == 0 ? null : question.iteration())
        .with("open", question.isOpen())
        .with("answer", question.answer())
        .with("answered_by", question.answeredBy());
  }
}
