package dev.ralph.core.internal.prompt;

import dev.ralph.Iteration;
import dev.ralph.Task;
import dev.ralph.core.internal.text.TextExcerpt;
import java.util.ArrayList;
import java.util.List;

/**
 * The assignment of one of several agents: its task, its folder, and the reason of a returned
 * attempt.
 */
final class AssignmentSection {

  /** The length of a reason's first line, which names the gate or the conflict. */
  private static final int SUMMARY = 200;

  private final TeamContext team;
  private final Iteration.Role role;

  AssignmentSection(TeamContext team, Iteration.Role role) {
    this.team = team;
    this.role = role;
  }

  /** Returns the whole text of the task; empty without a task. */
  String text() {
    Task task = team.task();
    return task == null ? "" : task.content();
  }

  /**
   * Renders the section.
   *
   * @param text the task's text
   * @param reasonLength the maximum number of characters of the reason why work was returned
   */
  String render(String text, int reasonLength) {
    List<String> parts = new ArrayList<>();
    parts.add("## Your assignment");
    Task task = team.task();
    if (task != null) {
      parts.add(who() + "Your task is t" + task.number() + ", and no other:\n" + text);
    } else if (role == Iteration.Role.BUILD) {
      parts.add(who() + "No task is ready, so you work alone and have no task.");
    }
    parts.add(place());
    String reason = reason(reasonLength);
    if (!reason.isEmpty()) {
      parts.add(reason);
    }
    return String.join("\n\n", parts);
  }

  private String who() {
    return "You are agent " + team.agent() + " of " + team.agents() + ".\n";
  }

  private String place() {
    TeamContext.Place place = team.place();
    String branch = place.branch();
    if (branch == null) {
      return "Folder: "
          + place.folder()
          + "\nOther agents work in this folder at the same time. Change only what your work needs,"
          + " and commit only your own files.";
    }
    return "Folder: "
        + place.folder()
        + " (a Git work tree of your own)\nBranch: "
        + branch
        + (place.isTakenUp() ? " (has unmerged commits; continue from them)" : "")
        + "\nStay on this branch. After your work, the branch is merged into "
        + place.target()
        + ", where the gates run.";
  }

  private String reason(int length) {
    String returned = team.returned();
    TeamContext.Place place = team.place();
    boolean hasEarlier = place.isTakenUp() || returned != null || team.attempt() > 1;
    if (!hasEarlier) {
      return "";
    }
    List<String> lines = new ArrayList<>();
    Task task = team.task();
    if (task != null && team.attempt() > 1) {
      int limit = task.attemptLimit();
      lines.add(
          "This is attempt "
              + team.attempt()
              + (limit > 0 ? " of " + limit : "")
              + " at the task.");
    }
    if (returned != null) {
      boolean isReturn = task == null || team.attempt() > 1 || place.isTakenUp();
      String shown = shortened(returned, length);
      lines.add(
          (isReturn ? "Earlier work was returned" : "The last reason given for its status")
              + (task != null && shown.length() < returned.strip().length()
                  ? " (shortened; look up t" + task.number() + " for the full reason):\n"
                  : ":\n")
              + shown);
    }
    if (place.target() != null) {
      lines.add(
          "Begin with: git merge "
              + place.target()
              + "\nResolve conflicts so that both changes keep their purpose.");
    }
    return String.join("\n", lines);
  }

  /**
   * Returns the first line and the end of a reason, because the end of a gate's output names the
   * failure.
   */
  static String shortened(String reason, int length) {
    String whole = TextExcerpt.indented(reason);
    if (whole.length() <= length) {
      return whole;
    }
    String first = TextExcerpt.firstLine(reason, Math.min(SUMMARY, length));
    int left = length - first.length() - 1;
    if (left <= 0) {
      return first;
    }
    int from = whole.length() - left;
    if (Character.isLowSurrogate(whole.charAt(from))) {
      from++;
    }
    int line = whole.indexOf('\n', from);
    // Show whole lines, unless the only line is very long.
    int begin = line < 0 || line - from > left / 2 ? from : line + 1;
    return first + '\n' + whole.substring(begin);
  }
}
