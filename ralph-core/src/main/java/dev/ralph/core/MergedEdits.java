package dev.ralph.core;

import dev.ralph.core.internal.git.GitTrees;
import dev.ralph.core.internal.process.Git;
import dev.ralph.log.RalphException;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/**
 * Merges edits of a Markdown file line by line, without conflicts: if both sides change the same
 * lines, the result has the lines of both. Ticks of check boxes are no edits; existing boxes keep
 * their state on the branch.
 */
final class MergedEdits {

  /** Matches a line with a check box. */
  private static final Pattern BOX =
      Pattern.compile("([\\s\\p{Z}\ufeff>*+.)0-9-]*\\[)[ xX](\\].*)", Pattern.DOTALL);

  private MergedEdits() {}

  /**
   * Returns the text of the branch with the edits of the work.
   *
   * @param base the text before the work
   * @param branch the text on the branch
   * @param work the text after the work
   */
  static String merge(Git git, String base, String branch, String work)
      throws InterruptedException {
    if (unticked(work).equals(unticked(base))) {
      return branch;
    }
    Path folder = null;
    List<String> files = new ArrayList<>();
    try {
      folder = Files.createTempDirectory("ralph-merge");
      for (String side : List.of(branch, base, work)) {
        Path file = folder.resolve("side-" + files.size());
        files.add(Files.writeString(file, unticked(side)).toString());
      }
      GitTrees.require(
          "git merge-file",
          git.run("merge-file", "--quiet", "--union", files.get(0), files.get(1), files.get(2)));
      return ticked(Files.readString(Path.of(files.get(0))), branch, work);
    } catch (IOException e) {
      throw RalphException.io("can't merge in a temporary folder", e);
    } finally {
      delete(folder, files);
    }
  }

  private static void delete(@Nullable Path folder, List<String> files) {
    try {
      for (String file : files) {
        Files.deleteIfExists(Path.of(file));
      }
      if (folder != null) {
        Files.deleteIfExists(folder);
      }
    } catch (IOException left) {
      // The folder is in the system's temporary folder.
    }
  }

  private static String unticked(String text) {
    StringBuilder unticked = new StringBuilder();
    for (String line : lines(text)) {
      unticked.append(untickedLine(line));
    }
    return unticked.toString();
  }

  private static String untickedLine(String line) {
    Matcher box = BOX.matcher(line);
    return box.matches() ? box.group(1) + " " + box.group(2) : line;
  }

  /** Returns the lines of a text with their line feeds. */
  private static String[] lines(String text) {
    return text.split("(?<=\n)");
  }

  /**
   * Restores the ticks of a merged text. A box has its state on the branch; a box missing there has
   * its state in the work.
   */
  private static String ticked(String merged, String branch, String work) {
    Map<String, Deque<String>> there = boxes(branch);
    Map<String, Deque<String>> here = boxes(work);
    StringBuilder text = new StringBuilder();
    for (String line : lines(merged)) {
      String own = next(there, line);
      String added = next(here, line);
      text.append(own != null ? own : added != null ? added : line);
    }
    return text.toString();
  }

  /** Returns the lines with boxes in the order of the text, by the line without a tick. */
  private static Map<String, Deque<String>> boxes(String text) {
    Map<String, Deque<String>> boxes = new HashMap<>();
    for (String line : lines(text)) {
      if (BOX.matcher(line).matches()) {
        boxes.computeIfAbsent(untickedLine(line), same -> new ArrayDeque<>()).add(line);
      }
    }
    return boxes;
  }

  private static @Nullable String next(Map<String, Deque<String>> boxes, String line) {
    Deque<String> same = boxes.get(line);
    return same == null ? null : same.poll();
  }
}
