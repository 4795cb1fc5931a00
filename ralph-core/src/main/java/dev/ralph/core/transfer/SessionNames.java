package dev.ralph.core.transfer;

import dev.ralph.Frame;
import dev.ralph.RalphException;
import dev.ralph.Topic;
import dev.ralph.TopicFilter;
import dev.ralph.spi.FrameStore;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.regex.Pattern;
import javax.annotation.Nullable;

/**
 * What the sessions of ralph.nu are called here. A name is one segment of a topic, so its dots
 * become {@code -}, and it gets a number where another session has that name. Which name that is
 * does not change from one import to the next: the first frame of a session that was imported
 * before says it.
 */
final class SessionNames {

  private static final String PREFIX = "ralph.";
  private static final Set<String> TYPES = Set.of("task", "note", "inbox", "iteration", "control");

  /** The first frame of each session whose name has dots, by that name, in the file's order. */
  private final Map<String, String> firstFrames = new LinkedHashMap<>();

  private final Set<String> taken = new HashSet<>();
  private final Map<String, String> renamed = new LinkedHashMap<>();

  /** Returns the name of the session that a topic is of, or null if it is not of one. */
  @Nullable
  static String sessionIn(String topic) {
    int type = topic.lastIndexOf('.') + 1;
    return topic.startsWith(PREFIX)
            && type > PREFIX.length()
            && TYPES.contains(topic.substring(type))
        ? topic.substring(PREFIX.length(), type - 1)
        : null;
  }

  /**
   * Returns the topic that stands here for one of there; until {@link #settle} the names may still
   * change.
   *
   * @param frameId of a frame in the topic
   * @throws RalphException INVALID if the session can't have such a name
   */
  String topicHere(String topic, String frameId) {
    String session = sessionIn(topic);
    if (session == null) {
      return topic;
    }
    String type = topic.substring(topic.lastIndexOf('.'));
    String name = renamed.get(session);
    if (name == null) {
      name = Topic.checkSegment("a session's name", session.replace('.', '-'));
      if (session.indexOf('.') < 0) {
        taken.add(session);
      } else {
        firstFrames.putIfAbsent(session, frameId);
      }
    }
    return PREFIX + name + type;
  }

  /** Gives every session its name, once all that the file has were seen. */
  void settle(FrameStore store) {
    for (Map.Entry<String, String> each : firstFrames.entrySet()) {
      String base = each.getKey().replace('.', '-');
      String name = nameBefore(store, base, each.getValue());
      for (int i = 1; name == null; i++) {
        String candidate = i == 1 ? base : base + "-" + i;
        if (!taken.contains(candidate) && isFree(store, candidate)) {
          name = Topic.checkSegment("a session's name", candidate);
        }
      }
      taken.add(name);
      renamed.put(each.getKey(), name);
    }
  }

  /** Returns the name that the session got in an earlier import, or null. */
  @Nullable
  private String nameBefore(FrameStore store, String base, String firstFrame) {
    Optional<Frame> frame = store.get(firstFrame);
    String name = frame.isPresent() ? sessionIn(frame.get().topic().name()) : null;
    boolean given =
        name != null && name.matches(Pattern.quote(base) + "(-\\d+)?") && !taken.contains(name);
    return given ? name : null;
  }

  private static boolean isFree(FrameStore store, String session) {
    return store.topics(TopicFilter.parse(PREFIX + session + ".*")).isEmpty();
  }

  /** Returns the new names by the old ones. */
  Map<String, String> renamed() {
    return renamed;
  }
}
