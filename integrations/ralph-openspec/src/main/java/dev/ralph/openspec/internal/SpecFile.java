package dev.ralph.openspec.internal;

import java.nio.file.Path;
import java.util.ArrayList;
import java.util.BitSet;
import java.util.List;
import java.util.Locale;
import org.jspecify.annotations.Nullable;

/**
 * Parses the requirements and scenarios of a {@code spec.md}. The text of a requirement is kept as
 * written. Lines in a block of code are not headings.
 */
final class SpecFile {

  private static final List<String> KEYWORDS = List.of("GIVEN", "WHEN", "THEN", "AND", "BUT");

  private static final List<String> OPERATIONS = List.of("ADDED", "MODIFIED", "REMOVED", "RENAMED");

  private final Path file;
  private final List<Change.Requirement> requirements;
  private final List<Change.Scenario> scenarios;
  private final List<Change.Problem> problems;

  private String operation = "";
  private String requirement = "";
  private final StringBuilder text = new StringBuilder();
  private @Nullable String name;
  private int nameLine;
  private final List<String> given = new ArrayList<>();
  private final List<String> when = new ArrayList<>();
  private final List<String> then = new ArrayList<>();

  /**
   * The steps to which the next AND, or a line without a keyword, belongs; null before the first
   * keyword.
   */
  private @Nullable List<String> part;

  private SpecFile(
      Path file,
      List<Change.Requirement> requirements,
      List<Change.Scenario> scenarios,
      List<Change.Problem> problems) {
    this.file = file;
    this.requirements = requirements;
    this.scenarios = scenarios;
    this.problems = problems;
  }

  /** Adds the requirements, scenarios and problems of a file to the lists. */
  static void read(
      Path file,
      String text,
      List<Change.Requirement> requirements,
      List<Change.Scenario> scenarios,
      List<Change.Problem> problems) {
    new SpecFile(file, requirements, scenarios, problems).read(text);
  }

  private void read(String text) {
    List<String> lines = List.of(text.split("\r\n|\r|\n", -1));
    BitSet code = MarkdownLine.code(lines);
    for (int i = 0; i < lines.size(); i++) {
      String line = lines.get(i);
      int level = code.get(i) ? 0 : MarkdownLine.headingLevel(line);
      if (level > 0 && level <= 3) {
        endRequirement();
      } else {
        this.text.append(line).append('\n');
      }
      if (!code.get(i)) {
        take(line, level, i + 1);
      }
    }
    endRequirement();
  }

  private void endRequirement() {
    endScenario();
    String body = text.toString().strip();
    if (!requirement.isEmpty() || !body.isEmpty()) {
      requirements.add(new Change.Requirement(operation, requirement, body));
    }
    text.setLength(0);
    requirement = "";
  }

  private void take(String line, int level, int number) {
    if (level == 0) {
      step(line);
      return;
    }
    if (level > 4) {
      return;
    }
    endScenario();
    String title = MarkdownLine.headingText(line);
    if (level <= 2) {
      String section = title.toUpperCase(Locale.ROOT);
      operation =
          OPERATIONS.stream().filter(each -> section.startsWith(each + " ")).findFirst().orElse("");
    } else if (level == 3) {
      requirement = without("Requirement:", title);
    } else if (!operation.equals("REMOVED") && !operation.equals("RENAMED")) {
      name = without("Scenario:", title);
      nameLine = number;
    }
  }

  private static String without(String label, String title) {
    return title.regionMatches(true, 0, label, 0, label.length())
        ? MarkdownLine.strip(title.substring(label.length()))
        : title;
  }

  private void step(String line) {
    if (name == null || MarkdownLine.isBlank(line)) {
      return;
    }
    String unquoted = line.substring(afterQuote(line));
    int bullet = MarkdownLine.afterBullet(unquoted);
    boolean isItem =
        bullet >= 0 && bullet < unquoted.length() && MarkdownLine.isSpace(unquoted.charAt(bullet));
    String text = MarkdownLine.strip(isItem ? unquoted.substring(bullet) : unquoted);
    String plain = text.substring(afterMarkup(text));
    for (String keyword : KEYWORDS) {
      if (plain.regionMatches(true, 0, keyword, 0, keyword.length())
          && !Character.isLetterOrDigit(
              plain.length() > keyword.length() ? plain.charAt(keyword.length()) : ' ')) {
        begin(keyword, afterKeyword(plain.substring(keyword.length())));
        return;
      }
    }
    List<String> steps = part == null ? given : part;
    if (steps.isEmpty() || isItem || part == null) {
      steps.add(text);
    } else {
      steps.set(steps.size() - 1, steps.get(steps.size() - 1) + " " + text);
    }
  }

  /** Returns the index after the marks of a quotation or a row of a table. */
  private static int afterQuote(String line) {
    int at = MarkdownLine.skipSpace(line, 0);
    while (at < line.length() && ">|".indexOf(line.charAt(at)) >= 0) {
      at = MarkdownLine.skipSpace(line, at + 1);
    }
    return at;
  }

  private static int afterMarkup(String text) {
    int at = 0;
    while (at < text.length() && "*_`".indexOf(text.charAt(at)) >= 0) {
      at++;
    }
    return at;
  }

  private static String afterKeyword(String rest) {
    int at = 0;
    while (at < rest.length()
        && ("*_`:|".indexOf(rest.charAt(at)) >= 0 || MarkdownLine.isSpace(rest.charAt(at)))) {
      at++;
    }
    return rest.substring(at);
  }

  private void begin(String keyword, String text) {
    List<String> named =
        switch (keyword) {
          case "GIVEN" -> given;
          case "WHEN" -> when;
          case "THEN" -> then;
          default -> part == null ? given : part;
        };
    part = named;
    named.add(text);
  }

  private void endScenario() {
    String ended = name;
    if (ended != null) {
      if (when.isEmpty() || then.isEmpty()) {
        problems.add(
            new Change.Problem(
                file,
                nameLine,
                "the scenario '"
                    + ended
                    + "' has no "
                    + (when.isEmpty() ? "WHEN" : "THEN")
                    + "; write it as '- **"
                    + (when.isEmpty() ? "WHEN" : "THEN")
                    + "** …'"));
      }
      scenarios.add(
          new Change.Scenario(requirement, ended, given, String.join(" and ", when), then));
    }
    name = null;
    part = null;
    given.clear();
    when.clear();
    then.clear();
  }
}
