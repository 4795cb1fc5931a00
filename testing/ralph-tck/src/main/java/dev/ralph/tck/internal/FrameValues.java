package dev.ralph.tck.internal;

import dev.ralph.log.Frame;
import java.time.Instant;
import java.util.List;
import java.util.stream.Collectors;

/** All values of a frame, for comparison. */
public record FrameValues(
    String id, String topic, long position, Instant time, String meta, String content) {

  /** Returns the values of a frame. */
  public static FrameValues of(Frame frame) {
    return new FrameValues(
        frame.id(),
        frame.topic().name(),
        frame.position().value(),
        frame.time(),
        frame.meta().json(),
        frame.content());
  }

  /** Returns the values of frames. */
  public static List<FrameValues> all(List<Frame> frames) {
    return frames.stream().map(FrameValues::of).collect(Collectors.toList());
  }

  @Override
  public String toString() {
    String shown = content.length() <= 40 ? content : content.substring(0, 40) + "…";
    return id + " " + topic + "@" + position + " " + time + " " + meta + " " + shown;
  }
}
