package dev.ralph.core;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.ralph.Ralph;
import dev.ralph.log.Frame;
import dev.ralph.log.FrameCursor;
import dev.ralph.log.Query;
import dev.ralph.log.RalphException;
import dev.ralph.log.TopicFilter;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.TreeSet;
import java.util.concurrent.Callable;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class ListLogTest {

  private static final String LONG = "user:" + "é".repeat(200);

  private final Ralph ralph = Ralph.inMemory();
  private final ListLog lists = ListLog.of(ralph, "chats");

  @AfterEach
  void close() {
    ralph.close();
  }

  @ParameterizedTest
  @ValueSource(strings = {"a", "--a", "---", "user:42/café", " ", "a.b", "\uD83D\uDE00", "1_2-x"})
  void anyIdHasAListOfItsOwn(String id) {
    lists.append(id, List.of("one"));
    lists.append(id, List.of("two", "three"));
    lists.append(LONG, List.of("long"));

    assertThat(lists.get(id)).containsExactly("one", "two", "three");
    assertThat(lists.get(LONG)).containsExactly("long");
    assertThat(lists.get(LONG + "é")).isEmpty();
    assertThat(lists.ids("", "", 10)).containsExactlyInAnyOrder(id, LONG);
    assertThat(ListLog.of(ralph, "chats").ids("", "", 10)).isEqualTo(lists.ids("", "", 10));
    assertThat(ListLog.of(ralph, "others").ids("", "", 10)).isEmpty();
  }

  @Test
  void anIdThatIsEmptyOrNoUnicodeIsRefused() {
    assertThatThrownBy(() -> lists.get("")).isInstanceOf(RalphException.class);
    assertThatThrownBy(() -> lists.append("\uD83D", List.of("a")))
        .isInstanceOf(RalphException.class);
    assertThatThrownBy(() -> ListLog.of(ralph, "a.b")).isInstanceOf(RalphException.class);
    assertThatThrownBy(() -> ListLog.of(ralph, "a".repeat(101))).isInstanceOf(RalphException.class);
  }

  @Test
  void theLongestNameAndIdFitATopic() {
    ListLog longest = ListLog.of(ralph, "a".repeat(100));

    longest.append("b".repeat(127), List.of("one"));

    assertThat(longest.get("b".repeat(127))).containsExactly("one");
  }

  @Test
  void replacingWritesWhatDiffers() {
    lists.replace("a", List.of("system", "1", "2"));
    long before = frames();
    lists.replace("a", List.of("system", "1", "2"));
    assertThat(frames()).isEqualTo(before);

    lists.replace("a", List.of("system", "1", "2", "3"));
    assertThat(frames()).isEqualTo(before + 1);

    lists.replace("a", List.of("system", "2", "3", "4"));
    assertThat(frames()).as("the oldest goes, the newest comes").isEqualTo(before + 3);
    assertThat(lists.get("a")).containsExactly("system", "2", "3", "4");
  }

  @Test
  void everyListCanBecomeEveryOther() {
    List<List<String>> all = new ArrayList<>();
    all.add(List.of());
    for (int i = 0; i < all.size() && all.get(i).size() < 4; i++) {
      for (String text : List.of("x", "y")) {
        List<String> longer = new ArrayList<>(all.get(i));
        longer.add(text);
        all.add(longer);
      }
    }
    for (List<String> from : all) {
      for (List<String> to : all) {
        lists.replace("a", from);
        lists.replace("a", to);
        assertThat(lists.get("a")).isEqualTo(to);
      }
    }
    assertThat(ListLog.of(ralph, "chats").get("a")).isEqualTo(lists.get("a"));
  }

  @Test
  void aListWithoutTextsIsListedOnceItHadSome() {
    lists.replace("never", List.of());
    lists.replace("once", List.of("a"));
    lists.replace("once", List.of());

    assertThat(lists.ids("", "", 10)).containsExactly("once");
    assertThat(lists.get("once")).isEmpty();
  }

  @ParameterizedTest
  @ValueSource(strings = {"user:ann", "user:éééééééééééééééééééééééééééééééééééééééééééééééé"})
  void whatIsDeletedIsNotListedAndErasedAndMayBeginAgain(String id) {
    lists.append(id, List.of("secret"));
    lists.append("other", List.of("kept"));

    assertThat(lists.delete(id)).isTrue();
    assertThat(lists.delete(id)).isFalse();

    assertThat(lists.get(id)).isEmpty();
    assertThat(lists.ids("", "", 10)).containsExactly("other");
    assertThat(texts()).doesNotContain("secret").contains("kept");
    if (id.length() > 40) {
      assertThat(texts()).doesNotContain(id);
    }

    lists.append(id, List.of("again"));
    assertThat(lists.get(id)).containsExactly("again");
    assertThat(ListLog.of(ralph, "chats").get(id)).containsExactly("again");
    assertThat(lists.ids("", "", 10)).containsExactlyInAnyOrder("other", id);
    assertThat(lists.delete(id)).isTrue();
    assertThat(texts()).doesNotContain("again");
    assertThat(ListLog.of(ralph, "chats").ids("", "", 10)).containsExactly("other");
  }

  @Test
  void idsAreListedByPageAndPrefix() {
    for (String id : List.of("b/2", "a/1", "b/1", "b/3", "c", "b")) {
      lists.append(id, List.of("x"));
    }

    assertThat(lists.ids("", "", 2)).containsExactly("a/1", "b");
    assertThat(lists.ids("", "b", 2)).containsExactly("b/1", "b/2");
    assertThat(lists.ids("b/", "", 2)).containsExactly("b/1", "b/2");
    assertThat(lists.ids("b/", "b/2", 2)).containsExactly("b/3");
    assertThat(lists.ids("b/", "a", 1)).containsExactly("b/1");
    assertThat(lists.ids("b/", "c", 5)).isEmpty();
    assertThat(lists.ids("", "c", 5)).isEmpty();
    assertThat(lists.ids("", "", 0)).isEmpty();
  }

  @Test
  void idsThatComeAndGoBetweenPagesAreListedInOrder() {
    Random random = new Random(17);
    TreeSet<String> there = new TreeSet<>();
    for (int change = 0; change < 300; change++) {
      String id = "id " + random.nextInt(40);
      if (random.nextInt(3) == 0) {
        assertThat(lists.delete(id)).isEqualTo(there.remove(id));
      } else {
        lists.append(id, List.of("x"));
        there.add(id);
      }
      if (random.nextInt(4) == 0) {
        assertThat(lists.ids("", "", 100)).containsExactlyElementsOf(there);
      }
    }
    assertThat(ListLog.of(ralph, "chats").ids("", "", 100)).containsExactlyElementsOf(there);
  }

  @Test
  void manyThreadsLoseNothing() throws Exception {
    ExecutorService threads = Executors.newFixedThreadPool(4);
    try {
      List<Callable<Object>> writers = new ArrayList<>();
      for (int thread = 0; thread < 4; thread++) {
        String name = "thread " + thread;
        ListLog own = ListLog.of(ralph, "chats");
        writers.add(
            () -> {
              for (int i = 0; i < 25; i++) {
                own.append("shared", List.of(name + " " + i));
              }
              return name;
            });
      }
      for (Future<Object> writer : threads.invokeAll(writers)) {
        writer.get();
      }
    } finally {
      threads.shutdownNow();
    }

    assertThat(lists.get("shared")).hasSize(100).doesNotHaveDuplicates();
    assertThat(lists.ids("", "", 10)).containsExactly("shared");
  }

  private long frames() {
    return texts().lines().count();
  }

  private String texts() {
    StringBuilder all = new StringBuilder();
    try (FrameCursor cursor = ralph.log().read(Query.of(TopicFilter.all()))) {
      for (Frame frame = cursor.next(); frame != null; frame = cursor.next()) {
        all.append(frame.meta()).append(frame.content()).append('\n');
      }
    }
    return all.toString();
  }
}
