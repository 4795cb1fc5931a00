package dev.ralph.tck;

import static org.assertj.core.api.Assertions.assertThat;

import dev.ralph.Draft;
import dev.ralph.Frame;
import dev.ralph.Meta;
import dev.ralph.RalphException.Code;
import dev.ralph.spi.Batch;
import dev.ralph.spi.Follower;
import dev.ralph.spi.FrameStore;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;

/** Whatever text a frame holds comes back as it was, at once and after reopening. */
public abstract class ContentConformance extends StoreConformance {

  private static final int LARGE = 16 << 20;

  @Test
  void unusualContentIsKept() throws InterruptedException {
    assertKept(unusualContents());
  }

  private static Map<String, String> unusualContents() {
    Map<String, String> contents = new LinkedHashMap<>();
    contents.put("empty", "");
    contents.put("NUL", "\0");
    contents.put("NUL within", "a\0b\0");
    contents.put("quotes", "\"''\"\\\"`{\"a\":1}");
    contents.put("line ends", "\na\r\nb\rc\n\n");
    contents.put("a line end alone", "\n");
    contents.put("what ends lines elsewhere", "\u0085\u2028\u2029\u000b\f\u001c\u001d\u001e");
    contents.put("spaces around", " \t a \u00a0\u3000 ");
    contents.put("byte order marks", "\ufeffa\ufeff\ufffe");
    contents.put("escapes as text", "\\u0000 \\n %n %s $1 ${x} {{x}} &amp; <b>");
    contents.put(
        "combining", "e\u0301 \u00e9 \u1112\u1161\u11ab \uac00 👩‍👩‍👧 🇩🇪 \u202eabc\u202c");
    contents.put("like a line of a log", "{\"id\":\"03d2qfc7b0000000000000000\"}\n{\"id\":");
    contents.put("every character of Unicode", everyCharacter());
    return contents;
  }

  private static String everyCharacter() {
    StringBuilder all = new StringBuilder(2_200_000);
    for (int c = 0; c <= Character.MAX_CODE_POINT; c++) {
      if (c < Character.MIN_SURROGATE || c > Character.MAX_SURROGATE) {
        all.appendCodePoint(c);
      }
    }
    return all.toString();
  }

  private void assertKept(Map<String, String> contents) throws InterruptedException {
    FrameStore store = open();
    List<Draft> drafts = new ArrayList<>();
    contents.forEach((name, text) -> drafts.add(Draft.of(TOPIC, Meta.of("name", name), text)));
    try (Follower follower = store.follow(everything())) {
      assertHolds(store.append(Batch.of(newBatchId(), drafts)).frames(), contents);
      assertHolds(readAll(store), contents);
      assertHolds(take(follower, contents.size()), contents);
    }
    assertHolds(readAll(reopenIfPersistent(store)), contents);
  }

  private static void assertHolds(List<Frame> frames, Map<String, String> contents) {
    assertThat(frames).hasSize(contents.size());
    for (Frame frame : frames) {
      String name = frame.meta().string("name");
      assertThat(frame.content().equals(contents.get(name))).as("content: %s", name).isTrue();
    }
  }

  @Test
  void largeContentIsKept() throws InterruptedException {
    FrameStore asked = open();
    long most = asked.info().maxContentBytes();
    asked.close();
    String unit = "0123456789abcdé\n";
    int length = (int) Math.min(LARGE, most);
    String large = unit.repeat(length / 17);
    assertKept(Map.of("large", large));
  }

  @Test
  void contentOfEverySizeAroundABufferIsKept() throws InterruptedException {
    Map<String, String> contents = new LinkedHashMap<>();
    for (int power : new int[] {9, 12, 13, 16, 20}) {
      for (int off = -2; off <= 2; off++) {
        int size = (1 << power) + off;
        contents.put("size " + size, "é".repeat(3) + "x".repeat(size - 6));
      }
    }
    assertKept(contents);
  }

  @Test
  void metaIsKeptAsItWasWritten() throws InterruptedException {
    FrameStore store = open();
    List<Meta> metas = new ArrayList<>();
    List<Draft> drafts = new ArrayList<>();
    for (String json : unusualMetas()) {
      Meta meta = Meta.parse(json);
      metas.add(meta);
      drafts.add(Draft.of(TOPIC, meta, "with meta"));
    }
    try (Follower follower = store.follow(everything())) {
      assertMetas(store.append(Batch.of(newBatchId(), drafts)).frames(), metas);
      assertMetas(readAll(store), metas);
      assertMetas(take(follower, metas.size()), metas);
    }
    assertMetas(readAll(reopenIfPersistent(store)), metas);
  }

  private static List<String> unusualMetas() {
    String nested = "{\"a\":[".repeat(40) + "1" + "]}".repeat(40);
    return List.of(
        "{}",
        "{\"z\":1,\"a\":2,\"m\":3,\"b\":{\"y\":1,\"c\":2}}",
        "{\"a\":1.0,\"b\":1e5,\"c\":1E+5,\"d\":-0,\"e\":-0.0,\"f\":1.10,\"g\":1e-7}",
        "{\"a\":123456789012345678901234567890.12345678901234567890,\"b\":1e400}",
        "{\"a\":\"\\u0041\\n\\/\\\"\\\\\\b\\f\\u00e9\\u2028\",\"b\":\"/\",\"c\":\"\u2028\"}",
        "{\"\\u0061\":1,\"\":2,\" \":3,\"a.b\":4,\"\\ud83d\\ude00\":\"\ud83d\ude00\"}",
        "{\"a\":null,\"b\":true,\"c\":false,\"d\":[],\"e\":{},\"f\":[[],[{}],[null,1.0]]}",
        "{\"a\":1,\"a\":2}",
        "{\"id\":\"x\",\"topic\":\"y\",\"meta\":{\"content\":1},\"content\":2,\"time\":3,\"crc\":4}",
        nested,
        "{\"long\":\"" + "x".repeat(100_000) + "\"}");
  }

  private static void assertMetas(List<Frame> frames, List<Meta> metas) {
    assertThat(frames).hasSize(metas.size());
    for (int i = 0; i < metas.size(); i++) {
      assertThat(frames.get(i).meta().json()).isEqualTo(metas.get(i).json());
      assertThat(frames.get(i).content()).isEqualTo("with meta");
    }
  }

  @Test
  void whatUnicodeCannotKeepIsRefusedAndNothingIsWritten() {
    FrameStore store = open();
    assertFails(Code.INVALID, () -> append(store, TOPIC, "half a pair: \ud83d"));
    assertFails(Code.INVALID, () -> append(store, TOPIC, "\ude00 is the other half"));
    assertThat(readAll(store)).isEmpty();
  }
}
