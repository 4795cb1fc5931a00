package dev.ralph.transfer;

import dev.ralph.log.Frame;
import dev.ralph.log.FrameLog;
import dev.ralph.log.RalphException;
import dev.ralph.log.Topic;
import dev.ralph.log.TopicFilter;
import java.util.HashMap;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/**
 * What the sessions of ralph.nu are called here. A name is one segment of a topic, so its dots
 * become {@code -}, and it gets a number where another session has that name. Which name that is
 * does not change from one import to the next, whatever the file has grown by: where the store
 * holds the first frame of a session, that says it, ahead of what any session is called in the
 * file.
 */
final class SessionNaming {

  private static final String PREFIX = "ralph.";
  private static final Set<String> TYPES = Set.of("task", "note", "inbox", "iteration", "control");

  /** The first frame of each session, by the name in the file, in the file's order. */
  private final Map<String, String> firstFrames = new LinkedHashMap<>();

  /** What each session is called here; nothing until that is settled. */
  private final Map<String, String> names = new HashMap<>();

  /** Returns the name of the session that a topic is of, or null if it is not of one. */
  static @Nullable String sessionIn(String topic) {
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
    String name = names.get(session);
    if (name == null) {
      name = Topic.checkSegment("a session's name", plain(session));
      firstFrames.putIfAbsent(session, frameId);
    }
    return PREFIX + name + type;
  }

  /**
   * Gives every session its name in that store, once all that the file has were seen. May be called
   * again, for the same store or another one.
   */
  void settle(FrameLog store) {
    names.clear();
    for (Map.Entry<String, String> each : firstFrames.entrySet()) {
      String name = nameBefore(store, each.getKey(), each.getValue());
      if (name != null) {
        names.put(each.getKey(), name);
      }
    }
    Set<String> taken = new HashSet<>(names.values());
    for (String session : firstFrames.keySet()) {
      if (session.indexOf('.') < 0 && !names.containsKey(session) && taken.add(session)) {
        names.put(session, session);
      }
    }
    for (String session : firstFrames.keySet()) {
      if (!names.containsKey(session)) {
        String name = freeName(store, plain(session), taken);
        taken.add(name);
        names.put(session, name);
      }
    }
  }

  /** Returns the name without dots. */
  private static String plain(String session) {
    return session.replace('.', '-');
  }

  /** Returns the name that the session got in an earlier import, or null. */
  private static @Nullable String nameBefore(FrameLog store, String session, String firstFrame) {
    Optional<Frame> frame = store.get(firstFrame);
    String name = frame.isPresent() ? sessionIn(frame.get().topic().name()) : null;
    boolean given = name != null && name.matches(Pattern.quote(plain(session)) + "(-\\d+)?");
    return given ? name : null;
  }

  private static String freeName(FrameLog store, String base, Set<String> taken) {
    String name = base;
    for (int i = 2; taken.contains(name) || !isFree(store, name); i++) {
      name = base + "-" + i;
    }
    return Topic.checkSegment("a session's name", name);
  }

  private static boolean isFree(FrameLog store, String session) {
    return store.topics(TopicFilter.parse(PREFIX + session + ".*")).isEmpty();
  }

  /**
   * Returns the names here by those there, in the file's order, of the sessions that changed it.
   */
  Map<String, String> renamed() {
    Map<String, String> renamed = new LinkedHashMap<>();
    for (String session : firstFrames.keySet()) {
      String name = names.getOrDefault(session, session);
      if (!name.equals(session)) {
        renamed.put(session, name);
      }
    }
    return renamed;
  }
}
