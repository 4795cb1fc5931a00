package dev.ralph.tck.internal;

import dev.ralph.log.Frame;
import java.time.Instant;
import java.util.List;
import java.util.stream.Collectors;

/** Everything a frame tells, to be compared. */
public record Seen(
    String id, String topic, long position, Instant time, String meta, String content) {

  /** Returns what that frame tells. */
  public static Seen of(Frame frame) {
    return new Seen(
        frame.id(),
        frame.topic().name(),
        frame.position().value(),
        frame.time(),
        frame.meta().json(),
        frame.content());
  }

  /** Returns what those frames tell. */
  public static List<Seen> all(List<Frame> frames) {
    return frames.stream().map(Seen::of).collect(Collectors.toList());
  }

  @Override
  public String toString() {
    String shown = content.length() <= 40 ? content : content.substring(0, 40) + "…";
    return id + " " + topic + "@" + position + " " + time + " " + meta + " " + shown;
  }
}
