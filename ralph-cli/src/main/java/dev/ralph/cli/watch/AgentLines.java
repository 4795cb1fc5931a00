package dev.ralph.cli.watch;

import dev.ralph.Iteration;
import dev.ralph.Session;
import dev.ralph.cli.text.SafeText;
import dev.ralph.log.DamagedException;
import dev.ralph.log.Frame;
import dev.ralph.log.FrameCursor;
import dev.ralph.log.FrameLog;
import dev.ralph.log.Position;
import dev.ralph.log.Query;
import dev.ralph.log.Topic;
import dev.ralph.log.TopicFilter;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/**
 * The last lines printed by the agent, assembled from pieces in the log. Overwritten text and
 * colours are removed; other control characters become visible. With several agents each line
 * begins with the agent's number. Memory use is bounded. Not thread-safe.
 */
final class AgentLines {

  private static final int MOST_LINES = 200;

  /** The number of past frames to read. */
  private static final int MOST_LOOKED_BACK = 200;

  /** The length of a line in characters, wider than any terminal. */
  private static final int MOST_CHARACTERS = 2_000;

  /**
   * The output of an iteration.
   *
   * @param mark the prefix of its lines
   * @param open the current line, without a line break yet
   */
  private record Speaker(String mark, StringBuilder open) {}

  private final Deque<String> lines = new ArrayDeque<>();
  private final Map<Long, Speaker> speakers = new LinkedHashMap<>();

  /** Returns the last lines of the newest iterations up to a position of the log. */
  static AgentLines of(FrameLog frames, Session session, Position end) {
    Topic scope = Topic.of("ralph." + session.name());
    Topic iteration = scope.child("iteration");
    Query query = Query.of(TopicFilter.of(scope.child("output"), iteration)).until(end).backward();
    List<Frame> newest = new ArrayList<>();
    try (FrameCursor cursor = frames.read(query.limit(MOST_LOOKED_BACK))) {
      for (Frame frame = cursor.next(); frame != null; frame = cursor.next()) {
        boolean isIteration = frame.topic().equals(iteration);
        if (isIteration && "start".equals(frame.meta().string("action"))) {
          break;
        }
        if (!isIteration) {
          newest.add(0, frame);
        }
      }
    }
    AgentLines lines = new AgentLines();
    for (Iteration running : session.iterations().list()) {
      if (running.agent() > 0 && running.status() == Iteration.Status.RUNNING) {
        lines.begin(running.number(), running.agent());
      }
    }
    newest.forEach(lines::add);
    return lines;
  }

  /**
   * Adds a piece of output. A new iteration of a single agent discards the lines of earlier
   * iterations.
   */
  void add(Frame output) {
    long of = output.meta().integer("iteration").orElse(0);
    Speaker known = speakers.get(of);
    Speaker speaker = known == null ? begun(of, 0) : known;
    String text;
    try {
      text = output.content();
    } catch (DamagedException e) {
      text = "(lost; see ralph verify)\n";
    }
    int from = 0;
    for (int end = text.indexOf('\n'); end >= 0; end = text.indexOf('\n', from)) {
      append(speaker.open, text, from, end);
      close(speaker);
      from = end + 1;
    }
    append(speaker.open, text, from, text.length());
    if (!output.meta().isTrue("continues")) {
      close(speaker);
    }
  }

  /**
   * Begins the output of an iteration.
   *
   * @param agent the agent's number in a team, whose iterations print concurrently; 0 for a single
   *     agent
   */
  void begin(long number, long agent) {
    begun(number, agent);
  }

  private Speaker begun(long number, long agent) {
    String mark = agent == 0 ? "" : agent + "| ";
    boolean wasAlone = speakers.values().stream().anyMatch(speaker -> speaker.mark.isEmpty());
    if (agent == 0 || wasAlone) {
      lines.clear();
      speakers.clear();
    }
    speakers.values().removeIf(speaker -> speaker.mark.equals(mark));
    Speaker speaker = new Speaker(mark, new StringBuilder());
    speakers.put(number, speaker);
    return speaker;
  }

  private static void append(StringBuilder open, String text, int from, int to) {
    // A progress bar may never end its line; only its newest part counts.
    int start = Math.max(from, to - 4 * MOST_CHARACTERS);
    if (open.length() > 8 * MOST_CHARACTERS) {
      open.delete(0, open.length() - 4 * MOST_CHARACTERS);
    }
    open.append(text, start, to);
  }

  private void close(Speaker speaker) {
    lines.addLast(speaker.mark + shown(speaker.open.toString()));
    speaker.open.setLength(0);
    if (lines.size() > MOST_LINES) {
      lines.removeFirst();
    }
  }

  /** Returns the final state of a line on a terminal, without active control characters. */
  static String shown(String line) {
    String text = SafeText.printed(line).replace("\t", "    ");
    if (text.length() > MOST_CHARACTERS) {
      int cut =
          MOST_CHARACTERS - (Character.isHighSurrogate(text.charAt(MOST_CHARACTERS - 1)) ? 1 : 0);
      text = text.substring(0, cut);
    }
    return text;
  }

  /** Returns the newest lines, oldest first, at most the given number. */
  List<String> last(int count) {
    List<String> all = new ArrayList<>(lines);
    for (Speaker speaker : speakers.values()) {
      if (speaker.open.length() > 0) {
        all.add(speaker.mark + shown(speaker.open.toString()));
      }
    }
    return all.subList(Math.max(0, all.size() - count), all.size());
  }
}
