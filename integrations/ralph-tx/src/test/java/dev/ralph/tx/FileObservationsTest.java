package dev.ralph.tx;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.ralph.tx.TxEvent.Kind;
import java.util.List;
import java.util.Random;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

/** Tests the persisted file observations and their lookups. */
class FileObservationsTest {

  private static final int COUNT = 3_000;
  private static final int KEPT_EACH = 500;

  private final Random random = new Random(5);

  private @Nullable String maybe(String text) {
    return random.nextInt(3) == 0 ? null : text + random.nextInt(20);
  }

  /** Names, ids and answered ids repeat, so that lookups find one of several. */
  private FileObservation next(int i) {
    Kind kind = random.nextInt(3) == 0 ? Kind.values()[random.nextInt(8)] : Kind.TAKEN;
    String id = random.nextInt(50) == 0 ? null : "ä" + random.nextInt(COUNT);
    String sum = random.nextInt(50) == 0 ? maybe("no sum ") : "%064x".formatted(random.nextLong());
    return new FileObservation(
        kind,
        "0101000000-täsk-" + random.nextInt(COUNT / 2) + ".md",
        id,
        sum,
        FileObservation.message(
            id, maybe("core/c"), maybe("mesh-x/a"), maybe("done "), maybe("ä" + i % 70)),
        maybe("why "));
  }

  private static void assertSame(FileObservations actual, FileObservations expected) {
    assertThat(actual.size()).isEqualTo(expected.size());
    for (int i = 0; i < expected.size(); i++) {
      FileObservation sighting = expected.get(i);
      assertThat(actual.get(i).meta()).isEqualTo(sighting.meta());
      assertThat(actual.kind(i)).isEqualTo(sighting.kind());
      assertThat(actual.ofFile(sighting.file())).isEqualTo(expected.ofFile(sighting.file()));
      assertThat(actual.knows(sighting.file())).isEqualTo(expected.knows(sighting.file()));
      for (String id : List.of("" + sighting.id(), "ä" + i, "" + sighting.message().inReplyTo())) {
        assertThat(actual.taken(id)).isEqualTo(expected.taken(id));
        assertThat(actual.answering(id)).containsExactlyInAnyOrder(expected.answering(id));
      }
    }
    assertThat(actual.steppedOver().stream().map(FileObservation::meta))
        .containsExactlyElementsOf(
            expected.steppedOver().stream().map(FileObservation::meta).toList());
  }

  @Test
  void decodedState_continuesToGrow() {
    FileObservations.State expected = new FileObservations.State();
    FileObservations.State state = PackedIndex.CODEC.decode(PackedIndex.CODEC.encode(expected));
    assertThat(state.result().size()).isZero();
    FileObservations before = null;
    for (int i = 0; i < COUNT; i++) {
      if (i % KEPT_EACH == 0) {
        before = state.result();
        state = PackedIndex.CODEC.decode(PackedIndex.CODEC.encode(state));
      }
      FileObservation next = next(i);
      expected.add(next);
      state.add(next);
    }
    assertSame(state.result(), expected.result());
    assertThat(before).isNotNull();
    assertThat(before.size()).as("earlier result is immutable").isEqualTo(COUNT - KEPT_EACH);
  }

  @Test
  void view_isNotChangedByLaterObservations() {
    FileObservations.State state = new FileObservations.State();
    FileObservation first = next(0);
    state.add(first);
    FileObservations view = state.result();
    FileObservations.State later = new FileObservations.State(view);
    later.add(first);
    state.add(first);
    assertThat(view.ofFile(first.file())).isZero();
    assertThat(state.result().ofFile(first.file())).isEqualTo(1);
    assertThat(later.result().ofFile(first.file())).isEqualTo(1);
    assertThat(later.result().taken("" + first.id())).isEqualTo(view.taken("" + first.id()));
  }

  @Test
  void manyObservations_needFewBytesEach() {
    FileObservations.State state = new FileObservations.State();
    for (int i = 0; i < 10_000; i++) {
      String id = "review-" + i;
      String name = "0102030405-task-brain--core-" + id + ".md";
      TxMessage message = FileObservation.message(id, "brain/brain", "core/core", "start", null);
      state.add(
          new FileObservation(Kind.TAKEN, name, id, "%064x".formatted(i * 7L), message, null));
    }
    assertThat(PackedIndex.CODEC.encode(state).length / 10_000).isLessThan(150);
  }

  @Test
  void bytesOfDifferentFormat_areRejected() {
    FileObservations.State state = new FileObservations.State();
    state.add(next(0));
    byte[] kept = PackedIndex.CODEC.encode(state);
    kept[0]++;
    assertThatThrownBy(() -> PackedIndex.CODEC.decode(kept))
        .isInstanceOf(IllegalArgumentException.class);
    assertThatThrownBy(() -> PackedIndex.CODEC.decode(new byte[100]))
        .isInstanceOf(RuntimeException.class);
  }
}
