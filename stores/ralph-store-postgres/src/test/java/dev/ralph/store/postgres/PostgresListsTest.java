package dev.ralph.store.postgres;

import static org.assertj.core.api.Assertions.assertThat;

import dev.ralph.Ralph;
import dev.ralph.core.ListLog;
import dev.ralph.log.Frame;
import dev.ralph.log.FrameCursor;
import dev.ralph.log.Query;
import dev.ralph.log.TopicFilter;
import java.util.ArrayList;
import java.util.List;
import java.util.UUID;
import java.util.stream.IntStream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.condition.EnabledOnOs;
import org.junit.jupiter.api.condition.OS;

/** Lists of texts, such as chat memories, that are longer than a batch of PostgreSQL. */
@EnabledOnOs(
    value = OS.LINUX,
    architectures = "amd64") // the server binaries exist only for this platform
class PostgresListsTest {

  private final PostgresServer server = PostgresServer.shared();
  private final String schema = "t" + UUID.randomUUID().toString().replace("-", "");

  @AfterEach
  void drop() {
    server.drop(schema);
  }

  @Test
  void longList_writesItsChangesOnly() {
    try (Ralph ralph = Ralph.open(server.address(schema))) {
      int length = ralph.log().info().maxBatchFrames() + 101;
      List<String> texts = new ArrayList<>();
      IntStream.range(0, length).forEach(i -> texts.add("message " + i));
      ListLog lists = ListLog.of(ralph, "chats");
      lists.replace("ann", texts);
      int before = contents(ralph).size();

      for (int turn = 1; turn <= 10; turn++) {
        texts.set(0, "It is day " + turn);
        texts.add("answer " + turn);
        lists.replace("ann", texts);
      }

      assertThat(contents(ralph)).hasSize(before + 20);
      assertThat(lists.get("ann")).isEqualTo(texts);
      try (Ralph other = Ralph.open(server.address(schema))) {
        assertThat(ListLog.of(other, "chats").get("ann")).isEqualTo(texts);
      }
    }
  }

  @Test
  void deletedLongList_isErased() {
    try (Ralph ralph = Ralph.open(server.address(schema))) {
      int length = ralph.log().info().maxBatchFrames() + 101;
      ListLog lists = ListLog.of(ralph, "chats");
      lists.replace("ann", IntStream.range(0, length).mapToObj(i -> "message " + i).toList());

      assertThat(lists.delete("ann")).isTrue();

      assertThat(lists.get("ann")).isEmpty();
      assertThat(contents(ralph)).noneMatch(content -> content.startsWith("message"));
    }
  }

  /** Returns the contents of all frames that are not erased. */
  private static List<String> contents(Ralph ralph) {
    List<String> contents = new ArrayList<>();
    try (FrameCursor cursor = ralph.log().read(Query.of(TopicFilter.all()))) {
      for (Frame frame = cursor.next(); frame != null; frame = cursor.next()) {
        contents.add(frame.isErased() ? "" : frame.content());
      }
    }
    return contents;
  }
}
