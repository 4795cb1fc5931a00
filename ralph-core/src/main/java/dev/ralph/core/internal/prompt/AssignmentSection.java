package dev.ralph.core.internal.prompt;

import dev.ralph.Task;
import dev.ralph.core.internal.text.TaskWords;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** What an agent of several was given to do, and how it gets along with the others. */
final class AssignmentSection {

  /** What tells another's task from the rest. */
  private static final int LINE = 200;

  private static final int OTHERS_BUDGET = 4_000;

  private AssignmentSection() {}

  /** Returns the section; empty where there is one agent. */
  static String render(@Nullable Company company) {
    if (company == null) {
      return "";
    }
    List<String> parts = new ArrayList<>();
    parts.add("## Your part");
    parts.add(who(company));
    Task task = company.task();
    if (task != null) {
      parts.add("Your task is t" + task.number() + ", and no other:\n" + task.content());
    }
    parts.add(where(company));
    if (company.sentBack() != null) {
      parts.add("What was done for it did not land:\n" + company.sentBack());
    }
    if (!company.others().isEmpty()) {
      parts.add(others(company.others()));
    }
    return String.join("\n\n", parts);
  }

  private static String who(Company company) {
    String who = "You are agent " + company.agent() + " of " + company.agents() + ". ";
    if (company.task() == null) {
      return who
          + "No task is ready, so you work alone now. Do what the instructions say; what several"
          + " can do side by side, add as tasks, and end.";
    }
    return who
        + "Each has a task of its own, given out by the loop: claim none yourself. Set yours to"
        + " completed when it is done, and end.";
  }

  private static String where(Company company) {
    String branch = company.branch();
    if (branch == null) {
      return "All of you work in this folder at the same time. Change nothing that your task does"
          + " not need, and commit only your own files.";
    }
    String text =
        "You work on the branch "
            + branch
            + ", in a work tree of your own. Stay on it, and commit there. Once you have ended, what"
            + " you did is brought onto "
            + company.target()
            + " and checked there.";
    if (company.isTakenUp()) {
      text +=
          " The branch has commits of an earlier try: look at them first, and go on from there.";
    }
    return company.isTakenUp() || company.sentBack() != null
        ? text
            + " Begin with: git merge "
            + company.target()
            + "; where that is in conflict, resolve it so that what both wanted holds."
        : text;
  }

  private static String others(List<Company.Other> others) {
    List<String> lines = new ArrayList<>();
    lines.add("These are at work as well; leave their tasks to them:");
    lines.addAll(
        Items.within(
            OTHERS_BUDGET,
            others,
            other ->
                "- agent "
                    + other.agent()
                    + ": [t"
                    + other.task().number()
                    + "] "
                    + TaskWords.firstLine(other.task(), LINE)));
    return String.join("\n", lines);
  }
}
