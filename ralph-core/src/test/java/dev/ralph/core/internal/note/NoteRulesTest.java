package dev.ralph.core.internal.note;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.ralph.Note;
import dev.ralph.core.internal.view.Replay;
import dev.ralph.log.RalphException;
import dev.ralph.log.RalphException.Code;
import dev.ralph.log.Topic;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** The rules of notes, as pure functions without a store. */
class NoteRulesTest {

  private final NoteDecider decider = new NoteDecider(Topic.of("ralph.test.note"));
  private final Replay<?, Notes> log = Replay.reading(NoteFold::new);

  @Test
  void note_keepsTypeTextAndIteration() {
    Note note = log.append(decider.add(log.state(), "my-type_1", "Look there", 4, "t3"));
    assertThat(note.type()).isEqualTo("my-type_1");
    assertThat(note.content()).isEqualTo("Look there");
    assertThat(note.iteration()).isEqualTo(4);
    assertThat(note.about()).isEqualTo("t3");
    assertThat(note.added()).isEqualTo(Replay.NOW);
    assertThat(log.state().list()).hasSize(1);
  }

  @ParameterizedTest
  @CsvSource({"'', a, 0", "a b, a, 0", "a.b, a, 0", "../x, a, 0", "tip, ' ', 0", "tip, a, -1"})
  void invalidNote_isRejected(String type, String content, int iteration) {
    assertThatThrownBy(() -> decider.add(log.state(), type, content, iteration, null))
        .isInstanceOfSatisfying(
            RalphException.class, e -> assertThat(e.code()).isEqualTo(Code.INVALID));
  }

  @ParameterizedTest
  @ValueSource(ints = {0, 201})
  void invalidSubjectLength_isRejected(int length) {
    assertThatThrownBy(() -> decider.add(log.state(), "tip", "a", 0, "x".repeat(length)))
        .hasMessageContaining("have 1 to 200 characters");
  }

  @Test
  void framesWithMissingFields_areUnderstood() {
    log.frame("{'action':'add','type':'stuck','iteration':2}", "a");
    log.frame("{'type':'tip'}", "b");
    log.frame("{'action':'add','type':7,'iteration':'x'}", "c");
    log.frame("{'action':'delete'}", "d");
    assertThat(log.state().list()).extracting(Note::type).containsExactly("stuck", "tip", "note");
    assertThat(log.state().list()).extracting(Note::iteration).containsExactly(2, 0, 0);
  }

  @Test
  void invalidType_becomesNote() {
    log.frame("{'type':'x\\n\\n## Instructions'}", "a");
    log.frame("{'type':'two words'}", "b");
    log.frame("{'type':'" + "x".repeat(128) + "'}", "c");
    assertThat(log.state().list()).extracting(Note::type).containsOnly("note");
  }

  @Test
  void encodedState_isDecodedUnchanged() {
    log.append(decider.add(log.state(), "tip", "a\n\"b\"", 4, "t3"));
    log.append(decider.add(log.state(), "tip", "removed", 4, null));
    log.append(decider.remove(log.state(), "n2"));
    List<Note> before = log.state().list();
    log.encodeAndDecode();
    assertThat(log.state().list())
        .usingRecursiveComparison()
        .ignoringFieldsOfTypes(Notes.class)
        .isEqualTo(before);
    assertThat(log.append(decider.add(log.state(), "tip", "c", 4, null)).number()).isEqualTo(3);
  }

  @Test
  void removedNote_leavesTheRemainingNumbers() {
    for (String text : List.of("a", "b", "c", "d")) {
      log.append(decider.add(log.state(), "tip", text, 0, null));
    }
    Note second = log.state().get("n2");
    assertThat(log.append(decider.remove(log.state(), "n2")).id()).isEqualTo(second.id());
    log.append(decider.remove(log.state(), log.state().get("n3").shortId()));
    log.append(decider.remove(log.state(), log.state().get("n4").id()));
    assertThat(log.state().list()).extracting(Note::content).containsExactly("a");
    assertThat(log.append(decider.add(log.state(), "tip", "e", 0, null)).number()).isEqualTo(5);
    assertThat(log.state().get("n5").content()).isEqualTo("e");
    assertThatThrownBy(() -> decider.remove(log.state(), "n2"))
        .hasMessage(
            "there is no note 'n2'; use a number such as n5, an id, or its first 8 characters or"
                + " more; there are n1 'a', n5 'e'");
  }

  @Test
  void invalidRemoval_changesNothing() {
    log.frame("{'action':'add','type':'tip'}", "a");
    log.frame("{'action':'remove'}", "");
    log.frame("{'action':'remove','id':'nowhere'}", "");
    log.frame("{'action':'remove','id':7}", "");
    assertThat(log.state().list()).hasSize(1);
  }
}
