package dev.ralph.core.internal.control;

import dev.ralph.core.internal.task.Tasks;
import dev.ralph.domain.message.Messages;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;

/** What keeps a session from being complete: open tasks, and messages that no agent has read. */
final class Outstanding {

  private static final int NAMED = 10;

  private Outstanding() {}

  /** Returns the reasons, each with what to do about it; empty where there are none. */
  static List<String> reasons(Tasks tasks, Messages messages, Instant now) {
    List<String> reasons = new ArrayList<>();
    int open = tasks.open();
    if (open > 0) {
      reasons.add(
          (open == 1 ? "1 task is" : open + " tasks are")
              + " still open: "
              + named(tasks.openNames(NAMED), open)
              + "; complete or cancel "
              + (open == 1 ? "it" : "them")
              + " first");
    }
    List<String> unread = messages.unread(now).stream().map(messages::describe).toList();
    if (!unread.isEmpty()) {
      reasons.add(
          unread.size() == 1
              ? "1 message is not read yet: "
                  + unread.get(0)
                  + "; do what it says and mark it as read first, or end your work and leave it to"
                  + " the next iteration"
              : unread.size()
                  + " messages are not read yet: "
                  + named(unread, unread.size())
                  + "; do what they say and mark them as read first, or end your work and leave"
                  + " them to the next iteration");
    }
    return reasons;
  }

  private static String named(List<String> first, int all) {
    return String.join(", ", first.subList(0, Math.min(first.size(), NAMED)))
        + (all > NAMED ? ", …" : "");
  }
}
