package dev.ralph.core;

import dev.ralph.RecordEntry;
import dev.ralph.Turn;
import dev.ralph.Usage;
import dev.ralph.core.internal.process.GrowingFile;
import dev.ralph.core.internal.text.Excerpt;
import dev.ralph.log.Meta;
import dev.ralph.log.RalphException;
import java.io.IOException;
import java.math.BigDecimal;
import java.nio.file.Path;
import java.util.List;

/**
 * What a command tells of its usage: lines of JSON that it appends to a file, which add up. For one
 * thread.
 */
final class ToldUsage {

  /** Names the file in the command's environment. */
  static final String VARIABLE = "RALPH_USAGE";

  /** In bytes; a usage takes less than 200. */
  private static final int LONGEST_LINE = 4 * 1024;

  private static final int SHOWN = 200;

  private static final List<String> TOKENS =
      List.of("input_tokens", "cached_tokens", "output_tokens");
  private static final String COST = "cost_usd";

  private final Turn turn;
  private final Path file;
  private final GrowingFile lines;
  private Usage sum = Usage.NONE;
  private boolean complained;

  ToldUsage(Turn turn, Path file) {
    this.turn = turn;
    this.file = file;
    this.lines = new GrowingFile(file, LONGEST_LINE, this::add);
  }

  /** Returns the path of the file, which the command makes. */
  Path file() {
    return file;
  }

  /** Reports what was told since the last look. */
  void look() {
    try {
      lines.look();
    } catch (IOException e) {
      complain(String.valueOf(e.getMessage()));
    }
    report();
  }

  /**
   * Reports what was told in all.
   *
   * @param cutOff whether the command was ended, and may have used more than it could tell
   */
  void end(boolean cutOff) {
    try {
      lines.lookForTheLastTime();
    } catch (IOException e) {
      complain(String.valueOf(e.getMessage()));
    }
    if (cutOff) {
      sum = sum.plus(Usage.UNKNOWN);
    }
    report();
  }

  /** Returns what was told. */
  Usage sum() {
    return sum;
  }

  private void report() {
    if (!sum.equals(Usage.NONE)) {
      turn.usage(sum);
    }
  }

  private void add(String line) {
    if (line.isBlank()) {
      return;
    }
    Meta json;
    try {
      json = Meta.parse(line);
    } catch (RalphException noJson) {
      complain(line);
      return;
    }
    if (!isUsage(json)) {
      complain(line);
      return;
    }
    Usage used = Usage.of(json);
    sum = sum.plus(used);
    turn.record(RecordEntry.used(null, used));
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

  /** Once: a program that has it wrong has it wrong each time. */
  private void complain(String what) {
    // What is told wrongly was used all the same.
    sum = sum.plus(Usage.UNKNOWN);
    if (!complained) {
      complained = true;
      turn.notice(
          "what the agent wrote to the file "
              + VARIABLE
              + " is not understood; a line is for example"
              + " {\"input_tokens\":1200,\"output_tokens\":80,\"cost_usd\":0.012}, and not: "
              + Excerpt.firstLine(what, SHOWN));
    }
  }
}
