package dev.ralph.core;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.ralph.Ralph;
import dev.ralph.log.Batch;
import dev.ralph.log.Draft;
import dev.ralph.log.Frame;
import dev.ralph.log.FrameCursor;
import dev.ralph.log.Meta;
import dev.ralph.log.Query;
import dev.ralph.log.RalphException;
import dev.ralph.log.Topic;
import dev.ralph.log.TopicFilter;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.TreeSet;
import java.util.concurrent.Callable;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.stream.IntStream;
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
  void anyId_hasItsOwnList(String id) {
    lists.append(id, List.of("one"));
    lists.append(id, List.of("two", "three"));
    lists.append(LONG, List.of("long"));

    assertThat(lists.get(id)).containsExactly("one", "two", "three");
    assertThat(lists.get(LONG)).containsExactly("long");
    assertThat(lists.get(LONG + "é")).isEmpty();
    assertThat(lists.ids("", "", 10)).containsExactlyInAnyOrder(id, LONG);
    assertThat(ListLog.of(ralph, "chats").ids("", "", 10)).isEqualTo(lists.ids("", "", 10));
    assertThat(ListLog.of(ralph, "others").ids("", "", 10)).isEmpty();
    assertThat(lists.ids("", "", 0)).isEmpty();
    assertThatThrownBy(() -> lists.ids("", "", -1))
        .isInstanceOf(RalphException.class)
        .hasMessage("a limit must not be negative: -1");
  }

  @Test
  void emptyOrInvalidId_isRejected() {
    assertThatThrownBy(() -> lists.get("")).isInstanceOf(RalphException.class);
    assertThatThrownBy(() -> lists.append("\uD83D", List.of("a")))
        .isInstanceOf(RalphException.class);
    assertThatThrownBy(() -> ListLog.of(ralph, "a.b")).isInstanceOf(RalphException.class);
    assertThatThrownBy(() -> ListLog.of(ralph, "a".repeat(101))).isInstanceOf(RalphException.class);
  }

  @Test
  void longestNameAndId_fitATopic() {
    ListLog longest = ListLog.of(ralph, "a".repeat(100));

    longest.append("b".repeat(127), List.of("one"));

    assertThat(longest.get("b".repeat(127))).containsExactly("one");
  }

  @Test
  void replace_writesOnlyDifferences() {
    lists.replace("a", List.of("system", "1", "2"));
    long before = frames();
    lists.replace("a", List.of("system", "1", "2"));
    assertThat(frames()).isEqualTo(before);

    lists.replace("a", List.of("system", "1", "2", "3"));
    assertThat(frames()).isEqualTo(before + 1);

    lists.replace("a", List.of("system", "2", "3", "4"));
    assertThat(frames()).as("removes the oldest, adds the newest").isEqualTo(before + 3);
    assertThat(lists.get("a")).containsExactly("system", "2", "3", "4");
  }

  @Test
  void anyList_canReplaceAnyList() {
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
  void changedFirstText_isWrittenAsSingleFrame() {
    lists.replace("a", numbered(5_000));
    List<String> changed = new ArrayList<>(numbered(5_000));
    changed.set(0, "Tuesday");
    long before = frames();

    lists.replace("a", changed);

    assertThat(frames()).isEqualTo(before + 1);
    assertThat(lists.get("a")).isEqualTo(changed);
    assertThat(ListLog.of(ralph, "chats").get("a")).isEqualTo(changed);
  }

  @Test
  void movingWindowWithDatedHead_isThreeFramesEach() {
    List<String> window = new ArrayList<>(numbered(100));
    lists.replace("a", window);
    long before = frames();
    for (int turn = 0; turn < 20; turn++) {
      window.remove(1);
      window.add("turn " + turn);
      window.set(0, "now " + turn);
      lists.replace("a", window);
    }

    assertThat(frames()).isEqualTo(before + 60);
    assertThat(ListLog.of(ralph, "chats").get("a")).isEqualTo(window);
  }

  @Test
  void writeBeyondABatch_isDoneInParts() {
    List<String> first = numbered(25_000);
    lists.append("a", first);
    assertThat(ListLog.of(ralph, "chats").get("a")).isEqualTo(first);
    assertThat(lists.ids("", "", 10)).containsExactly("a");

    List<String> other = first.stream().map(text -> "other " + text).toList();
    lists.replace("a", other);
    lists.append("a", List.of("last"));

    List<String> expected = new ArrayList<>(other);
    expected.add("last");
    assertThat(lists.get("a")).isEqualTo(expected);
    assertThat(ListLog.of(ralph, "chats").get("a")).isEqualTo(expected);
    assertThat(lists.delete("a")).isTrue();
    assertThat(texts()).doesNotContain("other 17");
  }

  @Test
  void editsAllOverALongList_areDoneInParts() {
    List<String> texts = new ArrayList<>(numbered(30_000));
    lists.replace("a", texts);
    for (int i = 0; i < texts.size(); i += 2) {
      texts.set(i, "edited " + i);
    }

    lists.replace("a", texts);

    assertThat(ListLog.of(ralph, "chats").get("a")).isEqualTo(texts);
  }

  @Test
  void longWriteBesideShortOnes_isSeenAsAWhole() throws Exception {
    List<String> many = numbered(30_000);
    ListLog other = ListLog.of(ralph, "chats");
    ListLog reading = ListLog.of(ralph, "chats");
    other.append("a", List.of("short"));
    ExecutorService threads = Executors.newFixedThreadPool(2);
    try {
      Future<?> longWrite = threads.submit(() -> lists.append("a", many));
      Future<?> shortWrites =
          threads.submit(
              () -> {
                for (int i = 0; i < 200; i++) {
                  other.append("a", List.of("short"));
                }
              });
      boolean done = false;
      while (!done) {
        done = longWrite.isDone() && shortWrites.isDone();
        long seen = reading.get("a").stream().filter(text -> !text.equals("short")).count();
        assertThat(seen).isIn(0L, 30_000L);
      }
      longWrite.get();
      shortWrites.get();
    } finally {
      threads.shutdownNow();
    }
    assertThat(reading.get("a")).hasSize(30_201).containsSubsequence(many);
  }

  @Test
  void abandonedStage_changesNoListAndIsErased() {
    lists.append("a", List.of("one"));
    Topic topic = Topic.of("list.chats.of.a");
    Meta meta = Meta.of("action", "stage").with("stage", "s");
    ralph.log().append(Batch.of("b1", List.of(Draft.of(topic, meta, "never applied"))));
    for (Meta odd :
        List.of(
            splice(0, 0, "none", 0, 1),
            splice(0, 2, "s", 0, 1),
            splice(2, 0, "s", 0, 1),
            splice(0, 0, "s", 1, 1),
            splice(0, 0, "s", 0, 2),
            Meta.of("action", "set").with("at", 1),
            Meta.of("action", "set").with("at", -1),
            Meta.of("action", "insert").with("at", 1L << 40),
            Meta.of("action", "stage"),
            Meta.of("action", "splice"))) {
      ralph
          .log()
          .append(
              Batch.of(
                  "b" + odd.json().length() + "-" + Math.abs(odd.hashCode()),
                  List.of(Draft.of(topic, odd, "odd"))));
    }

    assertThat(lists.get("a")).containsExactly("one");
    lists.delete("a");
    assertThat(texts()).doesNotContain("never applied");
  }

  private static Meta splice(int at, int n, String stage, int from, int count) {
    return Meta.of("action", "splice")
        .with("at", at)
        .with("n", n)
        .with("stage", stage)
        .with("from", from)
        .with("count", count);
  }

  @Test
  void unpairedSurrogate_isReplaced() {
    lists.append("a", List.of("x\uD83D", "\uDE00y", "\uD83D\uDE00"));
    lists.replace("b", List.of("\uD83Dx"));

    assertThat(lists.get("a")).containsExactly("x\uFFFD", "\uFFFDy", "\uD83D\uDE00");
    assertThat(lists.get("b")).containsExactly("\uFFFDx");
  }

  private static List<String> numbered(int count) {
    return IntStream.range(0, count).mapToObj(String::valueOf).toList();
  }

  @Test
  void emptiedList_isStillListed() {
    lists.replace("never", List.of());
    lists.replace("once", List.of("a"));
    lists.replace("once", List.of());

    assertThat(lists.ids("", "", 10)).containsExactly("once");
    assertThat(lists.get("once")).isEmpty();
  }

  @ParameterizedTest
  @ValueSource(strings = {"user:ann", "user:éééééééééééééééééééééééééééééééééééééééééééééééé"})
  void deletedList_isErasedAndCanStartAgain(String id) {
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
  void ids_areListedByPageAndPrefix() {
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
  void idsChangedBetweenPages_stayInOrder() {
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
  void concurrentAppends_loseNothing() throws Exception {
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
