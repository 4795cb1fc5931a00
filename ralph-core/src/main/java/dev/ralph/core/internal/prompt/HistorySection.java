package dev.ralph.core.internal.prompt;

import dev.ralph.Iteration;
import dev.ralph.core.internal.text.TextExcerpt;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/** The results of the last iterations, and the reasons of a rejected completion. */
final class HistorySection {

  /** The number of iterations shown; older iterations are known by their notes. */
  private static final int ITERATIONS = 5;

  /** The maximum length of an iteration's summary in characters: a few sentences. */
  private static final int SUMMARY = 1_000;

  /**
   * The maximum length of all reasons in characters, about 5,000 tokens: the last lines of two or
   * three failed commands.
   */
  private static final int REASONS_BUDGET = 20_000;

  /**
   * The maximum length of a reason in characters. Most reasons are shorter, because they contain
   * only the relevant end of a command's output.
   */
  private static final int REASON = 10_000;

  private HistorySection() {}

  static String render(
      List<Iteration> iterations, int iteration, List<String> refusedFor, Optional<String> idle) {
    List<String> lines = new ArrayList<>();
    idle.ifPresent(warning -> lines.add(noProgress(warning)));
    if (!refusedFor.isEmpty()) {
      separate(lines);
      lines.add("## COMPLETION REFUSED (Correct the cause before you call complete again)");
      lines.addAll(
          PromptItems.within(
              REASONS_BUDGET, refusedFor, reason -> "- " + TextExcerpt.indented(reason, REASON)));
    }
    List<Iteration> earlier = iterations.stream().filter(one -> one.number() < iteration).toList();
    if (!earlier.isEmpty()) {
      separate(lines);
      lines.add("## Last iterations");
      int from = Math.max(0, earlier.size() - ITERATIONS);
      earlier.subList(from, earlier.size()).forEach(one -> lines.add(item(one)));
    }
    return String.join("\n", lines);
  }

  /** Renders the section about iterations without changes. */
  static String noProgress(String warning) {
    return "## NO PROGRESS\n"
        + warning
        + "\nMake progress now. If you can't, set the task to blocked with the reason, or ask"
        + " the operator.";
  }

  private static void separate(List<String> lines) {
    if (!lines.isEmpty()) {
      lines.add("");
    }
  }

  private static String item(Iteration iteration) {
    String summary = iteration.summary();
    return "- #"
        + iteration.number()
        + (iteration.role() == Iteration.Role.BUILD ? " " : " " + iteration.role().word() + " ")
        + iteration.status().word()
        + (summary == null || summary.isBlank()
            ? ""
            : ": " + TextExcerpt.indented(summary, SUMMARY));
  }
}
