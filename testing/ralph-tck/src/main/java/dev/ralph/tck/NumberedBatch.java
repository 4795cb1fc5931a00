package dev.ralph.tck;

import dev.ralph.log.Batch;
import dev.ralph.log.Draft;
import dev.ralph.log.Frame;
import dev.ralph.log.Meta;
import dev.ralph.log.Topic;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;

/**
 * Batches whose frames contain their batch and number, to detect split, truncated or repeated
 * batches.
 */
final class NumberedBatch {

  private NumberedBatch() {}

  /** Returns a batch whose frames contain its id, their number and the size of the batch. */
  static Batch of(String id, Topic topic, int frames, int contentLength) {
    List<Draft> drafts = new ArrayList<>();
    for (int i = 0; i < frames; i++) {
      Meta meta =
          Meta.of("batch", id).with("i", i).with("of", frames).with("length", contentLength);
      drafts.add(Draft.of(topic, meta, content(id, i, contentLength)));
    }
    return Batch.of(id, drafts);
  }

  private static String content(String id, int number, int length) {
    String unit = id + "#" + number + " ";
    return unit.repeat(length / unit.length() + 1).substring(0, length);
  }

  static String batchOf(Frame frame) {
    String id = frame.meta().string("batch");
    if (id == null) {
      throw new AssertionError("a frame that was not appended: " + frame.id() + " " + frame.meta());
    }
    return id;
  }

  /**
   * Checks that the frames are complete batches in sequence, with correct content and without
   * repeats.
   *
   * @return the ids of the batches
   */
  static Set<String> assertWhole(List<Frame> frames) {
    Set<String> batches = new HashSet<>();
    int at = 0;
    while (at < frames.size()) {
      String id = batchOf(frames.get(at));
      long size = frames.get(at).meta().integer("of").orElse(0);
      if (!batches.add(id)) {
        throw new AssertionError("batch " + id + " is in the log twice or in parts");
      }
      for (int i = 0; i < size; i++) {
        if (at + i >= frames.size()) {
          throw new AssertionError("batch " + id + " ends after " + i + " of " + size + " frames");
        }
        Frame frame = frames.get(at + i);
        if (!batchOf(frame).equals(id) || frame.meta().integer("i").orElse(-1) != i) {
          throw new AssertionError(
              "frame " + i + " of " + size + " of batch " + id + " is missing: " + frame.meta());
        }
        int length = (int) frame.meta().integer("length").orElse(0);
        if (!frame.content().equals(content(id, i, length))) {
          throw new AssertionError("frame " + i + " of batch " + id + " has foreign content");
        }
      }
      at += (int) size;
    }
    return batches;
  }
}
