package dev.ralph.openspec;

import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import org.jspecify.annotations.Nullable;

/** Reads the scenarios of a {@code spec.md}. What stands in blocks of code is no heading. */
final class SpecFile {

  private static final List<String> KEYWORDS = List.of("GIVEN", "WHEN", "THEN", "AND", "BUT");

  private final Path file;
  private final List<Change.Scenario> scenarios;
  private final List<Change.Problem> problems;

  private boolean gone;
  private String requirement = "";
  private @Nullable String name;
  private int nameLine;
  private final List<String> given = new ArrayList<>();
  private final List<String> when = new ArrayList<>();
  private final List<String> then = new ArrayList<>();

  /** What the next AND, or a line without a keyword, belongs to; null before the first keyword. */
  private @Nullable List<String> part;

  private SpecFile(Path file, List<Change.Scenario> scenarios, List<Change.Problem> problems) {
    this.file = file;
    this.scenarios = scenarios;
    this.problems = problems;
  }

  /** Adds what a file holds. */
  static void read(
      Path file, String text, List<Change.Scenario> scenarios, List<Change.Problem> problems) {
    new SpecFile(file, scenarios, problems).read(text);
  }

  private void read(String text) {
    String fence = "";
    int number = 0;
    for (String line : text.split("\r\n|\r|\n", -1)) {
      number++;
      String found = MarkdownLine.fence(line);
      if (!fence.isEmpty()) {
        if (found.startsWith(fence) && MarkdownLine.strip(line).equals(found)) {
          fence = "";
        }
      } else if (!found.isEmpty()) {
        fence = found;
      } else {
        take(line, number);
      }
    }
    endScenario();
  }

  private void take(String line, int number) {
    int level = MarkdownLine.headingLevel(line);
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
      gone = section.startsWith("REMOVED ") || section.startsWith("RENAMED ");
      requirement = "";
    } else if (level == 3) {
      requirement = without("Requirement:", title);
    } else if (!gone) {
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
    int bullet = MarkdownLine.afterBullet(line);
    boolean listed = bullet >= 0 && bullet < line.length() && line.charAt(bullet) != '*';
    String text = MarkdownLine.strip(listed ? line.substring(bullet) : line);
    String plain = text.startsWith("**") || text.startsWith("__") ? text.substring(2) : text;
    for (String keyword : KEYWORDS) {
      if (plain.regionMatches(true, 0, keyword, 0, keyword.length())
          && !Character.isLetterOrDigit(
              plain.length() > keyword.length() ? plain.charAt(keyword.length()) : ' ')) {
        begin(keyword, afterKeyword(plain.substring(keyword.length())));
        return;
      }
    }
    if (part != null && !part.isEmpty()) {
      part.set(part.size() - 1, part.get(part.size() - 1) + " " + text);
    }
  }

  private static String afterKeyword(String rest) {
    int at = 0;
    while (at < rest.length()
        && ("*_:".indexOf(rest.charAt(at)) >= 0 || MarkdownLine.isSpace(rest.charAt(at)))) {
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
