package dev.ralph.core.internal.control;

import dev.ralph.core.internal.inbox.Messages;
import dev.ralph.core.internal.task.Tasks;
import java.util.ArrayList;
import java.util.List;

/** What keeps a session from being complete: open tasks, and messages that no agent has read. */
final class Outstanding {

  private static final int NAMED = 10;

  private Outstanding() {}

  /** Returns the reasons, each with what to do about it; empty where there are none. */
  static List<String> reasons(Tasks tasks, Messages messages) {
    List<String> reasons = new ArrayList<>();
    List<String> open = tasks.open();
    if (!open.isEmpty()) {
      reasons.add(
          (open.size() == 1 ? "1 task is" : open.size() + " tasks are")
              + " still open: "
              + named(open)
              + "; complete or cancel "
              + (open.size() == 1 ? "it" : "them")
              + " first");
    }
    List<String> unread = messages.unreadNames();
    if (!unread.isEmpty()) {
      reasons.add(
          unread.size() == 1
              ? "1 message is not read yet: "
                  + unread.get(0)
                  + "; do what it says and mark it as read first, or end your work and leave it to"
                  + " the next iteration"
              : unread.size()
                  + " messages are not read yet: "
                  + named(unread)
                  + "; do what they say and mark them as read first, or end your work and leave"
                  + " them to the next iteration");
    }
    return reasons;
  }

  private static String named(List<String> all) {
    return String.join(", ", all.subList(0, Math.min(all.size(), NAMED)))
        + (all.size() > NAMED ? ", …" : "");
  }
}
