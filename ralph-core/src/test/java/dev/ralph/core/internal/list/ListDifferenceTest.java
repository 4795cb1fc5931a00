package dev.ralph.core.internal.list;

import static org.assertj.core.api.Assertions.assertThat;

import dev.ralph.core.internal.list.ListDifference.Change;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;

class ListDifferenceTest {

  @Test
  void equalLists_haveNoChanges() {
    assertThat(ListDifference.between(List.of("a", "a"), List.of("a", "a"))).isEmpty();
    assertThat(ListDifference.between(List.of(), List.of())).isEmpty();
  }

  @Test
  void movedWindowWithNewHead_changesFourTexts() {
    List<String> from = new ArrayList<>(numbered(1, 99));
    from.add(0, "Monday");
    List<String> to = new ArrayList<>(numbered(2, 100));
    to.add(0, "Tuesday");

    assertThat(ListDifference.between(from, to))
        .containsExactly(new Change(0, 2, List.of("Tuesday")), new Change(99, 0, List.of("100")));
  }

  @Test
  void firstOfManyTexts_isTheOnlyChange() {
    List<String> from = numbered(0, 20_000);
    List<String> to = new ArrayList<>(from);
    to.set(0, "new");

    assertThat(ListDifference.between(from, to)).containsExactly(new Change(0, 1, List.of("new")));
  }

  @Test
  void unrelatedLongLists_areReplacedAsAWhole() {
    List<String> to = numbered(20_000, 30_000);

    assertThat(ListDifference.between(numbered(0, 10_000), to))
        .containsExactly(new Change(0, 10_001, to));
  }

  @Test
  void randomEdits_areReproducedWithFewChanges() {
    Random random = new Random(43);
    for (int round = 0; round < 3_000; round++) {
      int letters = 1 + random.nextInt(5);
      List<String> from = random(random, random.nextInt(12), letters);
      List<String> to = random(random, random.nextInt(12), letters);
      List<Change> changes = ListDifference.between(from, to);

      assertThat(applied(from, changes)).isEqualTo(to);
      int touched = changes.stream().mapToInt(c -> c.removed() + c.inserted().size()).sum();
      assertThat(touched).isEqualTo(from.size() + to.size() - 2 * longestCommon(from, to));
    }
  }

  private static List<String> applied(List<String> from, List<Change> changes) {
    List<String> list = new ArrayList<>(from);
    for (Change change : changes) {
      list.subList(change.at(), change.at() + change.removed()).clear();
      list.addAll(change.at(), change.inserted());
    }
    return list;
  }

  private static int longestCommon(List<String> a, List<String> b) {
    int[][] length = new int[a.size() + 1][b.size() + 1];
    for (int i = 1; i <= a.size(); i++) {
      for (int j = 1; j <= b.size(); j++) {
        length[i][j] =
            a.get(i - 1).equals(b.get(j - 1))
                ? length[i - 1][j - 1] + 1
                : Math.max(length[i - 1][j], length[i][j - 1]);
      }
    }
    return length[a.size()][b.size()];
  }

  private static List<String> random(Random random, int size, int letters) {
    return IntStream.range(0, size)
        .mapToObj(i -> String.valueOf((char) ('a' + random.nextInt(letters))))
        .toList();
  }

  private static List<String> numbered(int from, int to) {
    return IntStream.rangeClosed(from, to).mapToObj(String::valueOf).toList();
  }
}
