package dev.ralph.core;

import dev.ralph.RecordEntry;
import dev.ralph.Turn;
import dev.ralph.Usage;
import dev.ralph.core.internal.process.GrowingFile;
import dev.ralph.core.internal.text.TextExcerpt;
import dev.ralph.log.Meta;
import dev.ralph.log.RalphException;
import java.io.IOException;
import java.math.BigDecimal;
import java.nio.file.Path;
import java.util.List;
import java.util.Locale;
import org.jspecify.annotations.Nullable;

/**
 * The usage reported by a command: the sum of JSON lines that the command appends to a file. Any
 * other change of the file, and unknown names of amounts, make the sum partial. Not thread-safe.
 */
final class ReportedUsage {

  /** The variable with the file's path in the command's environment. */
  static final String VARIABLE = "RALPH_USAGE";

  /** The maximum length of a line in bytes. The line of a usage has less than 200 bytes. */
  private static final int LONGEST_LINE = 4 * 1024;

  /**
   * The maximum number of bytes per read, so that a flood of lines does not delay the limits of a
   * loop.
   */
  private static final long MOST_PER_READ = 128 * 1024;

  private static final int SHOWN = 200;

  private static final List<String> TOKENS =
      List.of("input_tokens", "cached_tokens", "output_tokens");
  private static final String COST = "cost_usd";

  /** Lower-case parts of the names that providers use for tokens or money. */
  private static final List<String> AMOUNTS = List.of("token", "cost", "price", "usd", "usage");

  private final Turn turn;
  private final Path file;
  private final GrowingFile lines;
  private Usage sum = Usage.NONE;
  private boolean complained;

  ReportedUsage(Turn turn, Path file) {
    this.turn = turn;
    this.file = file;
    this.lines = new GrowingFile(file, LONGEST_LINE, this::add, MOST_PER_READ, this::changed);
  }

  /** Returns the path of the file. The command creates the file. */
  Path file() {
    return file;
  }

  /** Reports the usage of the previous reads, and reads further lines. */
  void readAndReport() {
    report();
    try {
      lines.readLines();
    } catch (IOException e) {
      complainOf(String.valueOf(e.getMessage()));
    }
  }

  /**
   * Reads the rest of the file and reports the total usage.
   *
   * @param cutOff whether the command was stopped; the usage report may then be incomplete
   */
  void end(boolean cutOff) {
    try {
      if (!lines.readRest()) {
        complain("the file " + VARIABLE + " was too long to be read completely");
      }
    } catch (IOException e) {
      complainOf(String.valueOf(e.getMessage()));
    }
    if (cutOff) {
      sum = sum.plus(Usage.UNKNOWN);
    }
    report();
  }

  /** Returns the reported usage. */
  Usage sum() {
    return sum;
  }

  private void report() {
    if (!sum.equals(Usage.NONE)) {
      turn.usage(sum);
    }
  }

  private void changed() {
    complain(
        "the agent has overwritten or shortened the file "
            + VARIABLE
            + ", so the reported usage is incomplete; append each line with >>");
  }

  private void add(String line) {
    if (line.isBlank()) {
      return;
    }
    Meta json;
    try {
      json = Meta.parse(line);
    } catch (RalphException noJson) {
      complainOf(line);
      return;
    }
    if (!isUsage(json)) {
      complainOf(line);
      return;
    }
    Usage used = Usage.of(json);
    sum = sum.plus(used);
    turn.record(RecordEntry.used(null, used));
    if (hasUnknownAmount(json) || isLost(json.number(COST), used)) {
      complainOf(line);
    }
  }

  private static boolean isUsage(Meta json) {
    boolean any = false;
    for (String name : TOKENS) {
      if (json.has(name)) {
        any = true;
        if (json.integer(name).orElse(-1) < 0) {
          return false;
        }
      }
    }
    BigDecimal cost = json.number(COST);
    return json.has(COST) ? cost != null && cost.signum() >= 0 : any;
  }

  private static boolean hasUnknownAmount(Meta json) {
    for (String name : json.keys()) {
      String lower = name.toLowerCase(Locale.ROOT);
      if (!TOKENS.contains(name)
          && !name.equals(COST)
          && AMOUNTS.stream().anyMatch(lower::contains)) {
        return true;
      }
    }
    return false;
  }

  /** Returns whether a cost is out of range for a usage, such as 1e308. */
  private static boolean isLost(@Nullable BigDecimal cost, Usage used) {
    return cost != null && cost.signum() > 0 && used.costUsd() == null;
  }

  private void complainOf(String content) {
    complain(
        "the content of the file "
            + VARIABLE
            + " is not valid; a valid line is for example"
            + " {\"input_tokens\":1200,\"output_tokens\":80,\"cost_usd\":0.012}; found: "
            + TextExcerpt.firstLine(content, SHOWN));
  }

  /**
   * Makes the usage partial. Shows a notice for the first problem only, because agents repeat their
   * mistakes.
   */
  private void complain(String notice) {
    sum = sum.plus(Usage.UNKNOWN);
    if (!complained) {
      complained = true;
      turn.notice(notice);
    }
  }
}
