package dev.ralph.store.postgres;

import static org.assertj.core.api.Assertions.assertThat;

import dev.ralph.log.Appended;
import dev.ralph.log.Batch;
import dev.ralph.log.Draft;
import dev.ralph.log.Frame;
import dev.ralph.log.FrameCursor;
import dev.ralph.log.Meta;
import dev.ralph.log.Position;
import dev.ralph.log.Query;
import dev.ralph.log.Topic;
import dev.ralph.log.TopicFilter;
import dev.ralph.spi.FrameStore;
import dev.ralph.spi.StoreConfig;
import java.sql.Connection;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.ArrayList;
import java.util.List;
import java.util.UUID;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.condition.EnabledOnOs;
import org.junit.jupiter.api.condition.OS;

/** Compactions of tables: removed batches, freed space, and locks of other programs. */
@EnabledOnOs(
    value = OS.LINUX,
    architectures = "amd64") // the server binaries exist only for this platform
class PostgresCompactionTest {

  private static final Topic TOPIC = Topic.of("test.one.topic");
  private static final Topic OTHER = Topic.of("test.one.other");

  private final PostgresServer server = PostgresServer.shared();
  private final String schema = "t" + UUID.randomUUID().toString().replace("-", "");
  private FrameStore store;

  @BeforeEach
  void open() {
    store = new PostgresStoreProvider().open(StoreConfig.at(server.address(schema)));
  }

  @AfterEach
  void drop() {
    store.close();
    server.drop(schema);
  }

  private Batch batch(String... contents) {
    List<Draft> drafts = new ArrayList<>();
    for (String content : contents) {
      drafts.add(Draft.of(TOPIC, Meta.empty(), content));
    }
    return Batch.of(UUID.randomUUID().toString(), drafts);
  }

  /** Returns the contents of all frames except notices. */
  private List<String> contents() {
    List<String> contents = new ArrayList<>();
    try (FrameCursor cursor = store.read(Query.of(TopicFilter.all()))) {
      for (Frame frame = cursor.next(); frame != null; frame = cursor.next()) {
        if (!frame.isErasureNotice()) {
          contents.add(frame.content());
        }
      }
    }
    return contents;
  }

  private static List<String> ids(List<Frame> frames) {
    return frames.stream().map(Frame::id).toList();
  }

  @Test
  void compactedBatch_isNotAppendedAgain() {
    Batch removed = batch("one", "two");
    Batch partly = batch("three", "four");
    store.erase(ids(store.append(removed).frames()));
    List<Frame> frames = store.append(partly).frames();
    store.erase(List.of(frames.get(1).id()));
    store.compact();

    Appended again = store.append(removed);
    assertThat(again.isConflict()).isFalse();
    assertThat(again.frames()).isEmpty();
    assertThat(again.position()).isLessThan(frames.get(0).position());
    assertThat(store.append(partly).frames()).isEqualTo(frames.subList(0, 1));
    assertThat(store.findBatch(removed.id(), Position.START)).contains(List.of());
    assertThat(contents()).containsExactly("three");
  }

  @Test
  void space_isGivenBack() {
    String text = "x".repeat(300);
    List<String> erased = new ArrayList<>();
    for (int i = 0; i < 50; i++) {
      String[] texts = new String[100];
      for (int j = 0; j < texts.length; j++) {
        texts[j] = text + UUID.randomUUID();
      }
      List<Frame> frames = store.append(batch(texts)).frames();
      erased.addAll(ids(frames.subList(1, frames.size())));
    }
    store.erase(erased);

    assertThat(store.compact()).isGreaterThan(4_950 * 300L);
    assertThat(store.compact()).isZero();
    assertThat(contents()).hasSize(50);
  }

  @Test
  void heldFrame_isEmptyAfterCompaction() {
    String id = ids(store.append(batch("x".repeat(100_000))).frames()).get(0);
    Frame held = store.get(id).orElseThrow();
    store.erase(List.of(id));
    store.compact();
    assertThat(held.content()).isEmpty();
    assertThat(store.get(id)).isEmpty();
  }

  @Test
  void newestFrameOfTopic_isKept() {
    Draft empty = Draft.of(OTHER, Meta.empty(), "");
    Frame last = store.append(Batch.of("other", List.of(empty))).frames().get(0);
    store.erase(List.of(ids(store.append(batch("erased")).frames()).get(0), last.id()));
    store.compact();
    assertThat(store.last(TopicFilter.of(OTHER)).orElseThrow().id()).isEqualTo(last.id());
  }

  /** A long transaction, for example of pg_dump, prevents that the table is rewritten. */
  @Test
  void readTable_isCompactedWithoutRewrite() throws SQLException {
    List<Frame> frames = store.append(batch("erased", "kept")).frames();
    store.erase(List.of(frames.get(0).id()));
    try (Connection other = server.connect();
        Statement statement = other.createStatement()) {
      other.setAutoCommit(false);
      statement.execute("select from " + schema + ".frame");
      store.compact();
      assertThat(contents()).containsExactly("kept");
      store.append(batch("appended meanwhile"));
    }
    assertThat(store.get(frames.get(0).id())).isEmpty();
  }
}
