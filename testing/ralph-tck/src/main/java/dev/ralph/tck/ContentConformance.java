package dev.ralph.tck;

import static dev.ralph.tck.internal.Reading.take;
import static org.assertj.core.api.Assertions.assertThat;

import dev.ralph.log.Batch;
import dev.ralph.log.Draft;
import dev.ralph.log.Follower;
import dev.ralph.log.Frame;
import dev.ralph.log.Meta;
import dev.ralph.log.RalphException.Code;
import dev.ralph.log.StoreInfo.Capability;
import dev.ralph.log.Topic;
import dev.ralph.log.TopicFilter;
import dev.ralph.spi.FrameStore;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;

/** Tests that any text is kept unchanged, before and after the store is reopened. */
public abstract class ContentConformance extends StoreConformance {

  private static final int LARGE = 16 << 20;
  private static final Topic CAPITALS = Topic.of("tck.main.TITLE-Ii");

  @Test
  void unusualContent_isKept() throws InterruptedException {
    assertKept(UnusualContent.all());
  }

  private void assertKept(Map<String, String> contents) throws InterruptedException {
    FrameStore store = open();
    try (Follower follower = store.follow(everything())) {
      Batch batch = UnusualContent.batch(newBatchId(), TOPIC, contents);
      UnusualContent.assertHeld(store.append(batch).frames(), contents);
      UnusualContent.assertHeld(readAll(store), contents);
      UnusualContent.assertHeld(take(follower, contents.size()), contents);
    }
    UnusualContent.assertHeld(readAll(reopenIfPersistent(store)), contents);
  }

  /** The JVM's default charset and language must not affect stored text. */
  @Test
  void otherCharsetAndLanguage_keepContent() throws Exception {
    ChildProcess child =
        startChild(0, "-Dfile.encoding=ISO-8859-1", "-Duser.language=tr", "-Duser.country=TR");
    assertThat(child.opening()).startsWith("done ");
    child.send("unusual " + CAPITALS);
    child.done();
    if (fixture().capabilities().contains(Capability.PERSISTENT)) {
      child.send("reopen");
      child.done();
    }
    child.send("holds " + CAPITALS);
    child.done();
    if (fixture().capabilities().contains(Capability.MULTI_PROCESS)) {
      Map<String, String> contents = UnusualContent.all();
      FrameStore store = open();
      assertThat(store.topics(TopicFilter.all())).containsExactly(CAPITALS);
      UnusualContent.assertHeld(readAll(store), contents);
      store.append(UnusualContent.batch(newBatchId(), TOPIC, contents));
      child.send("holds " + TOPIC);
      child.done();
    }
  }

  @Test
  void largeContent_isKept() throws InterruptedException {
    FrameStore asked = open();
    long most = asked.info().maxContentBytes();
    asked.close();
    String unit = "0123456789abcdé\n";
    int length = (int) Math.min(LARGE, most);
    String large = unit.repeat(length / 17);
    assertKept(Map.of("large", large));
  }

  @Test
  void contentAroundBufferSizes_isKept() throws InterruptedException {
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
  void metadata_isKeptUnchanged() throws InterruptedException {
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
        "{\"a\":\"}\",\"b\":\"{[\\\"}]\",\"}{\":[\"]\"],\"c\":{\"d\":\"\\\\\"}}",
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
  void invalidUnicode_isRejected() {
    FrameStore store = open();
    assertFails(Code.INVALID, () -> append(store, TOPIC, "half a pair: \ud83d"));
    assertFails(Code.INVALID, () -> append(store, TOPIC, "\ude00 is the other half"));
    assertThat(readAll(store)).isEmpty();
  }
}
