package dev.ralph.chaos;

import dev.ralph.log.Draft;
import dev.ralph.log.Frame;
import dev.ralph.log.Meta;
import dev.ralph.log.Topic;
import java.util.ArrayList;
import java.util.List;
import java.util.SplittableRandom;

/**
 * The appends of one writer, step by step. A step depends only on the seed, the writer and the
 * step's number, so that a check of the log can compute all expected frames.
 */
final class WriterProgram {

  /**
   * The topic of counting frames of all processes, each one higher than the last: a test of
   * conditions.
   */
  static final Topic COUNTER = Topic.of("chaos.all.counter");

  /** The maximum length of content in characters, of one to four bytes each, so at most 16 MiB. */
  private static final int LARGEST = 8 << 20;

  private static final int BLOCK = 509;

  private final long seed;
  private final int writer;
  private final boolean syncOnly;

  WriterProgram(long seed, int writer, boolean syncOnly) {
    this.seed = seed;
    this.writer = writer;
    this.syncOnly = syncOnly;
  }

  int writer() {
    return writer;
  }

  Topic topic() {
    return Topic.of("chaos.all.w" + writer);
  }

  /** Returns a step by its number, from 1. */
  Step step(int number) {
    SplittableRandom random =
        new SplittableRandom(seed * 1_000_003 + writer * 31L + number * 7919L);
    boolean synced = syncOnly || random.nextInt(4) > 0;
    if (random.nextInt(4) == 0) {
      return new Step(this, number, synced, true, List.of(0));
    }
    int frames = random.nextBoolean() ? 1 : 1 + random.nextInt(20);
    List<Integer> lengths = new ArrayList<>();
    for (int i = 0; i < frames; i++) {
      lengths.add(1 + random.nextInt(400));
    }
    int rare = random.nextInt(400);
    if (rare < 20) {
      lengths.set(0, 1 + random.nextInt(150_000));
    } else if (rare == 20) {
      lengths.set(0, 1 + random.nextInt(LARGEST));
    }
    return new Step(this, number, synced, false, lengths);
  }

  /** Returns the text of a frame, with all kinds of characters and different for each frame. */
  private String text(int step, int frame, int length) {
    SplittableRandom random =
        new SplittableRandom(seed + writer * 1_000_000_007L + step * 10_007L + frame);
    StringBuilder block = new StringBuilder(BLOCK + 1);
    while (block.length() < BLOCK) {
      int kind = random.nextInt(16);
      int first = kind == 0 ? 0x1F300 : kind == 1 ? 0x4E00 : kind == 2 ? 0 : 0x20;
      block.appendCodePoint(first + random.nextInt(kind > 2 ? 0x5F : kind == 2 ? 0x20 : 0x200));
    }
    StringBuilder text = new StringBuilder(length + BLOCK);
    while (text.length() < length) {
      text.append(block);
    }
    text.setLength(length);
    if (Character.isHighSurrogate(text.charAt(length - 1))) {
      text.setCharAt(length - 1, '.');
    }
    return text.toString();
  }

  /** An append. */
  record Step(
      WriterProgram program, int number, boolean synced, boolean counts, List<Integer> lengths) {

    String batchId(long run) {
      return "w" + program.writer + "-" + number + "-" + Long.toString(run, 36);
    }

    /**
     * Returns the frames to append.
     *
     * @param counted the number in a counting frame
     */
    List<Draft> drafts(long counted) {
      Topic topic = counts ? COUNTER : program.topic();
      List<Draft> drafts = new ArrayList<>();
      for (int i = 0; i < lengths.size(); i++) {
        Meta meta =
            Meta.of("w", program.writer)
                .with("step", number)
                .with("frame", i)
                .with("of", lengths.size());
        if (counts) {
          meta = meta.with("count", counted);
        }
        drafts.add(Draft.of(topic, meta, content(i)));
      }
      return drafts;
    }

    /** Returns whether a frame equals the expected frame of this step at an index of its batch. */
    boolean made(Frame frame, int index) {
      return frame.topic().equals(counts ? COUNTER : program.topic())
          && frame.meta().integer("of").orElse(-1) == lengths.size()
          && frame.meta().integer("frame").orElse(-1) == index
          && frame.content().equals(content(index));
    }

    private String content(int frame) {
      return counts ? "" : program.text(number, frame, lengths.get(frame));
    }
  }
}
