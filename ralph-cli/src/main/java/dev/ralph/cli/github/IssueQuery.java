package dev.ralph.cli.github;

import dev.ralph.cli.call.UsageException;
import dev.ralph.log.RalphException;
import java.net.URLDecoder;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;

/**
 * Selects open issues, written as {@code gh:issues?label=LABEL}.
 *
 * @param labels the labels that an issue must have; empty for any issue
 */
public record IssueQuery(List<String> labels) {

  private static final String SCHEME = "gh:";
  private static final String ISSUES = "gh:issues";
  private static final String LABEL = "label=";

  /** Returns whether a text is a query instead of the name of a file. */
  public static boolean isQuery(String text) {
    return text.startsWith(SCHEME);
  }

  /**
   * Parses a query.
   *
   * @throws UsageException if the text has another form
   */
  public static IssueQuery parse(String text) {
    if (!text.equals(ISSUES) && !text.startsWith(ISSUES + "?")) {
      throw invalid(text);
    }
    List<String> labels = new ArrayList<>();
    String parameters = text.substring(Math.min(text.length(), ISSUES.length() + 1));
    for (String parameter : parameters.isEmpty() ? new String[0] : parameters.split("&", -1)) {
      String label = parameter.startsWith(LABEL) ? decoded(text, parameter) : "";
      if (label.isBlank()) {
        throw invalid(text);
      }
      if (label.indexOf(',') >= 0) {
        throw new UsageException(
            "the label "
                + RalphException.quote(label)
                + " has a comma, at which GitHub separates labels; choose another label");
      }
      labels.add(label);
    }
    return new IssueQuery(List.copyOf(labels));
  }

  private static String decoded(String text, String parameter) {
    try {
      String plain = parameter.substring(LABEL.length()).replace("+", "%2B");
      return URLDecoder.decode(plain, StandardCharsets.UTF_8);
    } catch (IllegalArgumentException incompleteEscape) {
      throw invalid(text);
    }
  }

  private static UsageException invalid(String text) {
    return new UsageException(
        RalphException.quote(text)
            + " is not a selection of issues; write gh:issues, or gh:issues?label=LABEL");
  }
}
