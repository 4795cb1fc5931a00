package dev.ralph.transfer.internal;

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
 * Maps the session names of ralph.nu to names in this store. A name is a segment of a topic.
 * Therefore dots become {@code -}, and a number is appended if another session has the name.
 * Repeated imports of a growing file use the same names: the store's copy of a session's first
 * frame decides, before any name in the file.
 */
final class SessionNaming {

  private static final String PREFIX = "ralph.";
  private static final Set<String> TYPES = Set.of("task", "note", "inbox", "iteration", "control");

  /** The id of each session's first frame by the name in the file, in the file's order. */
  private final Map<String, String> firstFrames = new LinkedHashMap<>();

  /** The new names by the names in the file; empty before {@link #settle}. */
  private final Map<String, String> names = new HashMap<>();

  /** Returns the session name in a topic, or null if the topic belongs to no session. */
  static @Nullable String sessionIn(String topic) {
    int type = topic.lastIndexOf('.') + 1;
    return topic.startsWith(PREFIX)
            && type > PREFIX.length()
            && TYPES.contains(topic.substring(type))
        ? topic.substring(PREFIX.length(), type - 1)
        : null;
  }

  /**
   * Converts a topic. Before {@link #settle} the session name may still change.
   *
   * @param frameId the id of a frame in the topic
   * @throws RalphException INVALID if the session's name cannot be converted to a valid one
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
   * Chooses the name of each session in a store, after the whole file was read. May be called again
   * for the same or another store.
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

  /** Returns the name with dots replaced. */
  private static String plain(String session) {
    return session.replace('.', '-');
  }

  /** Returns the name that an earlier import chose for the session, or null. */
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

  /** Returns the new names of renamed sessions by their names in the file, in the file's order. */
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
