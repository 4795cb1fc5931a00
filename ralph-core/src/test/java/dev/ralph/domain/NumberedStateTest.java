package dev.ralph.domain;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.ralph.domain.StateCodec.Input;
import dev.ralph.domain.StateCodec.Output;
import dev.ralph.domain.Things.Thing;
import java.io.IOException;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collections;
import java.util.List;
import java.util.Random;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class NumberedStateTest {

  /** Enough entries for several pieces, of which the last is not full. */
  private static final int MANY = 1_000;

  /** A codec that counts the decoded entries. */
  private static final class Codec extends NumberedState.Codec<Thing> {
    final AtomicInteger reads = new AtomicInteger();

    @Override
    protected void writeEntry(Thing thing, Output out) {
      out.text(thing.id());
      out.number(thing.number());
      out.text(thing.title());
    }

    @Override
    protected Thing readEntry(Input in, int size) throws IOException {
      reads.incrementAndGet();
      return new Thing(in.text(), in.integer(), in.text());
    }
  }

  private final Codec codec = new Codec();

  private static String id(int n) {
    return String.format("%025d", n);
  }

  private static Thing thing(int n, String title) {
    return new Thing(id(n), n + 1, title);
  }

  private static NumberedState<Thing> state(int size) {
    NumberedState<Thing> state = new NumberedState<>();
    for (int i = 0; i < size; i++) {
      state.add(thing(i, "thing " + i));
    }
    return state;
  }

  private NumberedState<Thing> reread(NumberedState<Thing> state) {
    return codec.decode(codec.encode(state));
  }

  private static List<Thing> things(NumberedState<Thing> state) {
    return IntStream.range(0, state.size()).mapToObj(state::get).toList();
  }

  // ---- earlier views

  @Test
  void earlierViews_stayUnchanged() {
    Random random = new Random(11);
    NumberedState<Thing> state = state(300);
    List<Things> shown = new ArrayList<>();
    List<List<Thing>> expected = new ArrayList<>();
    for (int step = 0; step < 2_000; step++) {
      int kind = random.nextInt(20);
      if (kind < 8) {
        state.add(thing(300 + step, "added in " + step));
      } else if (kind < 18) {
        int index = random.nextInt(state.size());
        state.set(index, new Thing(state.get(index).id(), state.get(index).number(), "at " + step));
      } else if (kind == 18) {
        state.remove(random.nextInt(state.size()));
      } else {
        state = reread(state);
      }
      if (random.nextInt(10) == 0) {
        shown.add(new Things(state));
        expected.add(things(state));
      }
    }
    for (int i = 0; i < shown.size(); i++) {
      assertThat(shown.get(i).list()).as("view %s", i).isEqualTo(expected.get(i));
    }
  }

  // ---- ids in any order

  @ParameterizedTest
  @ValueSource(booleans = {true, false})
  void ids_areFoundInAnyOrder(boolean kept) {
    List<Integer> order = new ArrayList<>(IntStream.range(0, MANY).boxed().toList());
    Collections.shuffle(order, new Random(5));
    NumberedState<Thing> state = new NumberedState<>();
    for (int n : order) {
      Thing thing = thing(n, "thing " + n);
      assertThat(state.contains(thing.id())).isFalse();
      state.add(thing);
    }
    state = kept ? reread(state) : state;
    Things things = new Things(state);
    for (int i = 0; i < MANY; i++) {
      String id = id(order.get(i));
      assertThat(state.contains(id)).isTrue();
      assertThat(state.find(id)).isEqualTo(i);
      assertThat(things.find(id)).isEqualTo(i);
      assertThat(things.find(things.shortId(i))).isEqualTo(i);
    }
    assertThat(state.find(id(MANY))).isEqualTo(-1);
    assertThat(state.contains(id(MANY))).isFalse();
  }

  @Test
  void prefix_isFoundIfUnique() {
    NumberedState<Thing> state = new NumberedState<>();
    state.add(new Thing("abcdefgh1" + "0".repeat(16), 1, "a"));
    state.add(new Thing("abcdefgh2" + "0".repeat(16), 2, "b"));
    assertThat(state.find("abcdefgh2")).isEqualTo(1);
    assertThat(state.find("abcdefgh")).isEqualTo(-1);
    assertThat(state.find("abcdefg")).isEqualTo(-1);
    assertThat(state.find("abcdefgh3")).isEqualTo(-1);
    state.add(new Thing("aaaaaaaa1" + "0".repeat(16), 3, "c"));
    assertThat(state.find("abcdefgh2")).isEqualTo(1);
    assertThat(state.find("abcdefgh")).isEqualTo(-1);
    assertThat(state.find("aaaaaaaa")).isEqualTo(2);
  }

  @Test
  void removedEntry_isNotFoundAndTheRestIs() {
    NumberedState<Thing> state = reread(state(MANY));
    for (int n : new int[] {500, 0, 127}) {
      state.remove(state.find(id(n)));
      assertThat(state.find(id(n))).isEqualTo(-1);
    }
    assertThat(state.size()).isEqualTo(MANY - 3);
    for (int i = 0; i < state.size(); i++) {
      assertThat(state.find(state.get(i).id())).isEqualTo(i);
    }
    state.add(thing(MANY, "one more"));
    assertThat(things(reread(state))).isEqualTo(things(state));
  }

  // ---- snapshots

  @Test
  void snapshot_decodesOnlyRequestedEntries() {
    NumberedState<Thing> state = reread(state(MANY));
    Things things = new Things(state);
    assertThat(things.get("t500").title()).isEqualTo("thing 499");
    assertThat(things.list().subList(10, 15)).hasSize(5).contains(thing(12, "thing 12"));
    assertThat(state.find(id(777))).isEqualTo(777);
    assertThat(codec.reads).as("decoded entries of %s", MANY).hasValueLessThan(40);
  }

  @Test
  void snapshotOfUndecodedState_isComplete() {
    NumberedState<Thing> state = reread(state(MANY));
    state.set(3, thing(3, "changed"));
    state.add(thing(MANY, "added"));
    NumberedState<Thing> again = reread(reread(state));
    assertThat(codec.reads).as("decoded entries of %s", MANY).hasValueLessThan(40);
    assertThat(again.size()).isEqualTo(MANY + 1);
    assertThat(again.get(3).title()).isEqualTo("changed");
    assertThat(again.get(MANY).title()).isEqualTo("added");
    assertThat(again.get(600).title()).isEqualTo("thing 600");
    assertThat(again.highestNumber()).isEqualTo(state.highestNumber());
  }

  @Test
  void emptyState_isKept() {
    assertThat(reread(new NumberedState<>()).size()).isZero();
  }

  @Test
  void invalidState_isRejected() {
    byte[] kept = codec.encode(state(5));
    for (int length = 0; length < kept.length; length++) {
      byte[] cut = Arrays.copyOf(kept, length);
      assertThatThrownBy(() -> codec.decode(cut))
          .as("the first %s of %s bytes", length, kept.length)
          .isInstanceOf(RuntimeException.class);
    }
    byte[] flat = "[1,2,3,\"as earlier versions kept it\"]".getBytes(UTF_8);
    assertThatThrownBy(() -> codec.decode(flat)).isInstanceOf(RuntimeException.class);
  }
}
