package dev.ralph.core.internal.control;

import dev.ralph.Task;
import dev.ralph.core.internal.message.Messages;
import dev.ralph.core.internal.task.Tasks;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * Reasons against the completion of a session: open tasks, tasks that wait to be merged, and unread
 * messages.
 */
final class CompletionBlockers {

  private static final int NAMED = 10;

  private CompletionBlockers() {}

  /** Returns the reasons, each with a remedy for an agent; empty for none. */
  static List<String> reasons(Tasks tasks, Messages messages, Instant now) {
    List<String> reasons = new ArrayList<>();
    addOpen(reasons, tasks, tasks.all().open());
    String merge = merge(tasks);
    if (merge != null) {
      reasons.add(merge + "; end your work, then the loop merges the branch");
    }
    addUnread(reasons, messages, now);
    return reasons;
  }

  /** Returns the reasons that one of several agents can resolve. */
  static List<String> ofOne(Tasks tasks, Messages messages, Instant now) {
    List<String> reasons = new ArrayList<>();
    addOpen(
        reasons,
        tasks,
        tasks.all().open().stream().filter(task -> task.claimAt(now) == null).toList());
    addUnread(reasons, messages, now);
    return reasons;
  }

  private static void addOpen(List<String> reasons, Tasks tasks, List<Task> open) {
    if (!open.isEmpty()) {
      reasons.add(
          open(tasks, open)
              + "; complete or cancel "
              + (open.size() == 1 ? "it" : "them")
              + " first");
    }
  }

  private static void addUnread(List<String> reasons, Messages messages, Instant now) {
    String unread = unread(messages, now);
    if (unread != null) {
      boolean one = messages.unread(now).size() == 1;
      reasons.add(
          unread
              + (one
                  ? "; process the message and mark it as read first, or end your work and"
                      + " leave it to the next iteration"
                  : "; process the messages and mark them as read first, or end your work and"
                      + " leave them to the next iteration"));
    }
  }

  /** Returns the reasons without remedies, for people. */
  static List<String> facts(Tasks tasks, Messages messages, Instant now) {
    List<String> facts = new ArrayList<>();
    List<Task> open = tasks.all().open();
    if (!open.isEmpty()) {
      facts.add(open(tasks, open));
    }
    String merge = merge(tasks);
    if (merge != null) {
      facts.add(merge);
    }
    String unread = unread(messages, now);
    if (unread != null) {
      facts.add(unread);
    }
    return facts;
  }

  private static String open(Tasks tasks, List<Task> open) {
    return (open.size() == 1 ? "1 task is" : open.size() + " tasks are")
        + " still open: "
        + named(tasks.names(open, NAMED), open.size());
  }

  /** Returns a description of the completed tasks that wait to be merged, or null for none. */
  private static @Nullable String merge(Tasks tasks) {
    List<Task> waiting = tasks.all().toMerge();
    return waiting.isEmpty()
        ? null
        : (waiting.size() == 1 ? "1 task is" : waiting.size() + " tasks are")
            + " done and not merged yet: "
            + named(tasks.names(waiting, NAMED), waiting.size());
  }

  /** Returns a description of the unread messages, or null for none. */
  static @Nullable String unread(Messages messages, Instant now) {
    List<String> unread = messages.unread(now).stream().map(messages::describe).toList();
    return unread.isEmpty()
        ? null
        : (unread.size() == 1 ? "1 message is" : unread.size() + " messages are")
            + " not read yet: "
            + named(unread, unread.size());
  }

  private static String named(List<String> first, int all) {
    return String.join(", ", first.subList(0, Math.min(first.size(), NAMED)))
        + (all > NAMED ? ", …" : "");
  }
}
