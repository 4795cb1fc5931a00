package dev.ralph.core.internal.control;

import dev.ralph.core.internal.message.Messages;
import dev.ralph.core.internal.task.Tasks;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** What keeps a session from being complete: open tasks, and messages that no agent has read. */
final class Outstanding {

  private static final int NAMED = 10;

  private Outstanding() {}

  /** Returns the reasons, each with what an agent can do; empty where there are none. */
  static List<String> reasons(Tasks tasks, Messages messages, Instant now) {
    List<String> reasons = new ArrayList<>();
    String open = open(tasks);
    if (open != null) {
      reasons.add(open + "; complete or cancel " + (tasks.open() == 1 ? "it" : "them") + " first");
    }
    String unread = unread(messages, now);
    if (unread != null) {
      boolean one = messages.unread(now).size() == 1;
      reasons.add(
          unread
              + (one
                  ? "; do what it says and mark it as read first, or end your work and leave it to"
                      + " the next iteration"
                  : "; do what they say and mark them as read first, or end your work and leave"
                      + " them to the next iteration"));
    }
    return reasons;
  }

  /** Returns the same reasons for people, who know what to do. */
  static List<String> facts(Tasks tasks, Messages messages, Instant now) {
    List<String> facts = new ArrayList<>();
    String open = open(tasks);
    if (open != null) {
      facts.add(open);
    }
    String unread = unread(messages, now);
    if (unread != null) {
      facts.add(unread);
    }
    return facts;
  }

  private static @Nullable String open(Tasks tasks) {
    int open = tasks.open();
    return open == 0
        ? null
        : (open == 1 ? "1 task is" : open + " tasks are")
            + " still open: "
            + named(tasks.openNames(NAMED), open);
  }

  /** Returns which messages are unread, or null if none is. */
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
