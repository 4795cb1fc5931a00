package dev.ralph.store.file;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import dev.ralph.log.Batch;
import dev.ralph.log.Frame;
import dev.ralph.log.FrameCursor;
import dev.ralph.log.Query;
import dev.ralph.log.RalphException;
import dev.ralph.log.TopicFilter;
import dev.ralph.spi.FrameStore;
import dev.ralph.store.support.SmallDisk;
import java.io.File;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Writes that the system cuts short, because the disk is full or the file has a size limit. */
class FullDiskTest {

  private static final String BODY = " " + "x".repeat(3_000);

  @TempDir Path temp;

  @Test
  void partialGroupWrite_keepsCompleteBatches() throws Exception {
    assumeTrue(File.separatorChar == '/', "there is no ulimit here");
    Path directory = temp.resolve("limited");
    List<String> said = ChildJvm.run("ulimit -f 100; ", WritingToALimit.class, directory);

    List<String> acknowledged = wordsAfter("acknowledged", said);
    List<String> seen = wordsAfter("seen", said);
    assertThat(wordsAfter("damage", said)).isEmpty();
    assertThat(acknowledged)
        .as("completely written appends")
        .startsWith("large-0", "large-1")
        .endsWith("small");
    assertThat(wordsAfter("FULL", said)).isNotEmpty();
    assertThat(acknowledged.size() + wordsAfter("FULL", said).size())
        .isEqualTo(WritingToALimit.GROUP + 1);
    assertThat(seen)
        .as("frames that the reader saw")
        .containsExactlyInAnyOrderElementsOf(acknowledged);
    assertThat(directory.resolve("damaged")).as("quarantined torn tail").doesNotExist();

    try (FrameStore store = TestLog.open(directory)) {
      assertThat(names(store)).isEqualTo(seen);
      assertThat(store.verify()).isEmpty();
      store.append(TestLog.batch(TestLog.TOPIC, "room-again" + BODY));
      assertThat(names(store)).endsWith("room-again").hasSize(seen.size() + 1);
    }
  }

  @Test
  void freedSpace_allowsAppends() throws Exception {
    try (SmallDisk disk = SmallDisk.mount(temp.resolve("disk"), "256k")) {
      fillTwice(disk.folder());
    }
  }

  private static void fillTwice(Path disk) throws IOException {
    Path filler = Files.write(disk.resolve("filler"), new byte[100 * 1024]);
    Path directory = disk.resolve("store");
    List<String> acknowledged = new ArrayList<>();
    try (FrameStore store = TestLog.open(directory)) {
      assertThat(fill(store, "tight", acknowledged)).isEqualTo(RalphException.Code.FULL);
      assertThat(acknowledged).isNotEmpty();
      assertThat(names(store)).isEqualTo(acknowledged);

      Files.delete(filler);
      int before = acknowledged.size();
      assertThat(fill(store, "roomy", acknowledged)).isEqualTo(RalphException.Code.FULL);
      assertThat(acknowledged).hasSizeGreaterThan(before + 20);
      assertThat(names(store)).isEqualTo(acknowledged);
      assertThat(store.verify()).isEmpty();
    }
    try (FrameStore again = TestLog.open(directory)) {
      assertThat(names(again)).isEqualTo(acknowledged);
    }
  }

  /** Appends until an append fails, and returns the error code. */
  private static RalphException.Code fill(
      FrameStore store, String prefix, List<String> acknowledged) {
    for (int i = 0; i < 1_000; i++) {
      String name = prefix + "-" + i;
      try {
        store.append(TestLog.batch(TestLog.TOPIC, name + BODY));
      } catch (RalphException e) {
        return e.code();
      }
      acknowledged.add(name);
    }
    throw new AssertionError("the disk does not get full");
  }

  private static List<String> names(FrameStore store) {
    return TestLog.contents(store, Query.of(TopicFilter.of(TestLog.TOPIC))).stream()
        .map(FullDiskTest::name)
        .toList();
  }

  private static String name(String content) {
    return content.contains(" ") ? content.substring(0, content.indexOf(' ')) : content;
  }

  private static List<String> wordsAfter(String word, List<String> lines) {
    return lines.stream()
        .filter(line -> line.startsWith(word + " "))
        .map(line -> line.substring(word.length() + 1))
        .toList();
  }

  /**
   * Appends a group that does not fit and then a small batch, while another thread reads. Prints
   * all outcomes.
   */
  static final class WritingToALimit {

    static final int GROUP = 60;

    private WritingToALimit() {}

    public static void main(String[] args) throws Exception {
      Path directory = Path.of(args[0]);
      try (FrameStore store = TestLog.open(directory);
          FrameCursor cursor = store.read(Query.of(TopicFilter.of(TestLog.TOPIC)))) {
        Looking looking = new Looking(cursor);
        looking.start();
        List<Batch> batches =
            Stream.iterate(0, i -> i + 1)
                .limit(GROUP)
                .map(i -> TestLog.batch(TestLog.TOPIC, "large-" + i + BODY))
                .toList();
        try (HeldBack heldBack = HeldBack.in(directory)) {
          List<HeldBack.Append> group = heldBack.asOneGroup(store, batches);
          heldBack.letGo();
          for (HeldBack.Append append : group) {
            String name = name(append.batch.drafts().get(0).content());
            System.out.println((append.isDone() ? "acknowledged" : append.failure()) + " " + name);
          }
        }
        store.append(TestLog.batch(TestLog.TOPIC, "small"));
        System.out.println("acknowledged small");
        looking.finish();
      }
    }
  }

  /** Reads continuously, and prints each frame. */
  private static final class Looking extends Thread {

    private final FrameCursor cursor;
    private final List<String> seen = new ArrayList<>();
    private volatile boolean finishing;

    Looking(FrameCursor cursor) {
      this.cursor = cursor;
    }

    @Override
    public void run() {
      boolean last = false;
      while (true) {
        Frame frame = cursor.next();
        if (frame != null) {
          seen.add(name(frame.content()));
        } else if (last) {
          return;
        } else {
          last = finishing; // reads once more after the last append
        }
      }
    }

    void finish() throws InterruptedException {
      finishing = true;
      join();
      seen.forEach(name -> System.out.println("seen " + name));
      cursor.damage().forEach(damage -> System.out.println("damage " + damage));
    }
  }
}
