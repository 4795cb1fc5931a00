package dev.ralph.domain;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.catchThrowableOfType;

import dev.ralph.domain.Things.Thing;
import dev.ralph.log.AmbiguousException;
import dev.ralph.log.RalphException;
import dev.ralph.log.RalphException.Code;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class NumberedListTest {

  private static Things things(String... ids) {
    List<Thing> things = new ArrayList<>();
    for (String id : ids) {
      things.add(
          new Thing((id + "0".repeat(25)).substring(0, 25), things.size() + 1, "thing " + id));
    }
    return references(things);
  }

  private static Things references(List<Thing> things) {
    NumberedState<Thing> state = new NumberedState<>();
    things.forEach(state::add);
    return new Things(state);
  }

  @Test
  void entry_isFoundByNumberIdAndPrefix() {
    Things things = things("abcdefgh1", "abcdefgh2", "abcdefzz");
    assertThat(things.find("t2")).isEqualTo(1);
    assertThat(things.find("abcdefgh2" + "0".repeat(16))).isEqualTo(1);
    assertThat(things.find("abcdefgh2")).isEqualTo(1);
    assertThat(things.find("abcdefzz")).isEqualTo(2);
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "",
        " ",
        "2",
        "t",
        "t0",
        "t3",
        "t-1",
        "T1",
        "t1 ",
        "t99999999999",
        "m1",
        "abcdefg",
        "abcdefgh3",
        "abcdefgh1000000000000000000000",
        "../../etc",
        "t1\n",
        "\ud800"
      })
  void invalidReference_isNotFoundAndListsEntries(String ref) {
    assertThatThrownBy(() -> things("abcdefgh1", "abcdefgh2").find(ref))
        .isInstanceOfSatisfying(
            RalphException.class, e -> assertThat(e.code()).isEqualTo(Code.NOT_FOUND))
        .hasMessageContaining("t1 'thing abcdefgh1', t2 'thing abcdefgh2'")
        .hasMessageNotContaining("\n");
  }

  @Test
  void anyNumber_isAReference() {
    Things things =
        references(
            List.of(
                new Thing("a".repeat(25), 999_999_999, "x"),
                new Thing("b".repeat(25), 1_000_000_001, "y"),
                new Thing("c".repeat(25), Integer.MAX_VALUE, "z")));
    for (int i = 0; i < 3; i++) {
      assertThat(things.find(things.reference(i))).isEqualTo(i);
    }
    assertThatThrownBy(() -> things.find("t9999999999")).hasMessageContaining("there is no thing");
  }

  @Test
  void emptyList_isNamedInTheMessage() {
    assertThatThrownBy(() -> things().find("t1")).hasMessageContaining("the list is empty");
  }

  @Test
  void longList_isShortenedInTheMessage() {
    String[] ids = IntStream.range(10, 99).mapToObj(i -> "abcdefgh" + i).toArray(String[]::new);
    assertThatThrownBy(() -> things(ids).find("t500"))
        .hasMessageContaining("there are t85 'thing")
        .hasMessageContaining("t89 'thing");
  }

  @Test
  void ambiguousReference_namesTheCandidates() {
    Things things = things("abcdefgh1", "abcdefgh2", "abcdefzz");
    AmbiguousException failure =
        catchThrowableOfType(AmbiguousException.class, () -> things.find("abcdefgh"));
    assertThat(failure.candidates()).containsExactly("abcdefgh1", "abcdefgh2");
    assertThat(failure).hasMessageContaining("abcdefgh1 (t1 'thing abcdefgh1')");
  }

  @Test
  void longText_isCutInMessages() {
    Thing thing = new Thing("a".repeat(25), 1, "x".repeat(59) + "\ud83d\ude00\u0007 more\nlines");
    assertThat(references(List.of(thing)).describe(0)).isEqualTo("t1 " + "x".repeat(59) + "…");
  }

  @Test
  void shortIds_areShortestUniquePrefixes() {
    Random random = new Random(7);
    List<Thing> all = new ArrayList<>();
    for (int i = 0; i < 300; i++) {
      StringBuilder id = new StringBuilder("0123456");
      while (id.length() < 25) {
        id.append(random.nextInt(2));
      }
      all.add(new Thing(id.toString(), i + 1, "x"));
    }
    Things things = references(all);
    for (int i = 0; i < all.size(); i++) {
      String shortId = things.shortId(i);
      assertThat(fitting(all, shortId)).isEqualTo(1);
      assertThat(things.find(shortId)).isEqualTo(i);
      assertThat(things.find(all.get(i).id())).isEqualTo(i);
      assertThat(shortId.length() == 8 || fitting(all, cut(shortId)) > 1)
          .as("%s is not the shortest unique prefix", shortId)
          .isTrue();
    }
  }

  private static String cut(String text) {
    return text.substring(0, text.length() - 1);
  }

  private static long fitting(List<Thing> things, String prefix) {
    return things.stream().filter(thing -> thing.id().startsWith(prefix)).count();
  }
}
