package dev.ralph.store.chronicle;

import static dev.ralph.store.chronicle.TestQueue.append;
import static dev.ralph.store.chronicle.TestQueue.open;
import static dev.ralph.store.chronicle.TestQueue.read;
import static org.assertj.core.api.Assertions.assertThat;

import dev.ralph.spi.FrameStore;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import net.openhft.chronicle.bytes.Bytes;
import net.openhft.chronicle.queue.ChronicleQueue;
import net.openhft.chronicle.queue.ExcerptTailer;
import net.openhft.chronicle.queue.RollCycles;
import net.openhft.chronicle.queue.impl.single.SingleChronicleQueueBuilder;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/**
 * Tests excerpts that a short process writes without Chronicle. Chronicle reads these excerpts in
 * order, finds them by their number, and appends after them.
 */
class WrittenWithoutChronicleTest {

  /** The interval of excerpts that Chronicle indexes; a store without Chronicle writes no index. */
  private static final int INDEX_INTERVAL = 256;

  @TempDir Path temp;

  private final List<String> expected = new ArrayList<>();

  @Test
  void shortProcess_loadsNoChronicleClass() throws Exception {
    Path directory = temp.resolve("store");
    TestQueue.appendOnDay(directory, 0, "made by Chronicle");

    List<String> arguments = new ArrayList<>(JvmFlags.needed());
    arguments.add("-Xlog:class+load");
    assertThat(ChildJvm.run(arguments, AppendOnce.class, directory))
        .noneMatch(line -> line.contains(" net.openhft."))
        .contains("appended");

    try (FrameStore store = open(directory)) {
      assertThat(read(store).contents()).containsExactly("made by Chronicle", "by itself");
      assertThat(store.verify()).isEmpty();
    }
  }

  /** Appends to the store in the given folder. */
  static final class AppendOnce {
    private AppendOnce() {}

    public static void main(String[] arguments) {
      TestQueue.appendOnDay(Path.of(arguments[0]), 0, "by itself");
      System.out.println("appended");
    }
  }

  @Test
  void directExcerpts_areReadInOrder() {
    Path directory = temp.resolve("store");
    appendTo(directory, 3);
    try (FrameStore byChronicle = open(directory)) {
      for (int i = 0; i < 10; i++) {
        appendOne(byChronicle);
      }
      for (int i = 0; i < 40; i++) {
        appendTo(directory, 1); // a direct append while Chronicle has the file open
        appendOne(byChronicle);
      }
    }
    appendTo(directory, 1);

    try (FrameStore store = open(directory)) {
      assertThat(read(store).contents()).isEqualTo(expected);
      assertThat(store.verify()).isEmpty();
    }
    assertThat(readByChronicle(directory)).isEqualTo(expected);
  }

  @Test
  void directExcerpts_areFoundByNumber() {
    Path directory = temp.resolve("store");
    appendTo(directory, INDEX_INTERVAL - 2);
    for (int i = 0; i < 2; i++) {
      appendTo(directory, 2); // Chronicle would index the second or the first of these
      appendTo(directory, 2);
      appendTo(directory, INDEX_INTERVAL);
    }

    assertThat(readByChronicle(directory)).isEqualTo(expected);
    try (ChronicleQueue queue = chronicle(directory);
        ExcerptTailer tailer = queue.createTailer()) {
      long first = queue.firstIndex();
      assertThat(queue.lastIndex()).isEqualTo(first + expected.size() - 1);
      for (int number :
          new int[] {
            0, INDEX_INTERVAL - 1, INDEX_INTERVAL, INDEX_INTERVAL + 1, 2 * INDEX_INTERVAL, 600
          }) {
        assertThat(tailer.moveToIndex(first + number)).as("number %s", number).isTrue();
        assertThat(next(tailer)).isEqualTo(expected.get(number));
      }
    }
  }

  /** Appends by a store of its own, whose first appends do not start Chronicle. */
  private void appendTo(Path directory, int times) {
    try (FrameStore store = open(directory)) {
      for (int i = 0; i < times; i++) {
        appendOne(store);
      }
    }
  }

  private void appendOne(FrameStore store) {
    String content = "number " + expected.size() + ".";
    append(store, content);
    expected.add(content);
  }

  private static ChronicleQueue chronicle(Path directory) {
    return SingleChronicleQueueBuilder.single(directory.resolve("queue").toFile())
        .rollCycle(RollCycles.FAST_DAILY)
        .readOnly(true)
        .build();
  }

  private List<String> readByChronicle(Path directory) {
    List<String> contents = new ArrayList<>();
    try (ChronicleQueue queue = chronicle(directory);
        ExcerptTailer tailer = queue.createTailer()) {
      String content;
      while ((content = next(tailer)) != null) {
        contents.add(content);
      }
    }
    return contents;
  }

  /** Returns the content of the next excerpt; null at the end. */
  private static String next(ExcerptTailer tailer) {
    Bytes<byte[]> bytes = Bytes.allocateElasticOnHeap();
    try {
      if (!tailer.readBytes(bytes)) {
        return null;
      }
      String text = new String(bytes.toByteArray(), StandardCharsets.ISO_8859_1);
      int at = text.lastIndexOf("number ");
      return text.substring(at, text.indexOf('.', at) + 1);
    } finally {
      bytes.releaseLast();
    }
  }
}
