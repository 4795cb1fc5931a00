package dev.ralph.core.internal.prompt;

import dev.ralph.Question;
import dev.ralph.core.internal.text.TextExcerpt;
import java.util.ArrayList;
import java.util.List;

/** The open questions, so that an agent neither repeats them nor waits for an answer. */
final class QuestionSection {

  /** The length of a question, enough to identify it. */
  private static final int QUESTION = 200;

  private static final String HEADING =
      "## OPEN QUESTIONS (Asked before and not answered yet - don't ask them again)";

  private static final int MOST_SHOWN = 10;

  private QuestionSection() {}

  /** Renders the section, or its heading with a count if the section exceeds the limit. */
  static String render(List<Question> open, int characters) {
    String all = render(open);
    if (all.length() <= characters) {
      return all;
    }
    return HEADING + ": " + open.size();
  }

  static String render(List<Question> open) {
    if (open.isEmpty()) {
      return "";
    }
    List<String> lines = new ArrayList<>();
    lines.add(HEADING);
    for (Question question : open.subList(0, Math.min(open.size(), MOST_SHOWN))) {
      String text = question.beginning(QUESTION);
      lines.add(
          "- [q"
              + question.number()
              + "] "
              + TextExcerpt.firstLine(text, question.length(), QUESTION));
    }
    if (open.size() > MOST_SHOWN) {
      lines.add("(and " + (open.size() - MOST_SHOWN) + " more)");
    }
    return String.join("\n", lines);
  }
}
