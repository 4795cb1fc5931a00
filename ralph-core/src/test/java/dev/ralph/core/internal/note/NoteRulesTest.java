package dev.ralph.core.internal.note;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.ralph.Note;
import dev.ralph.RalphException;
import dev.ralph.RalphException.Code;
import dev.ralph.Topic;
import dev.ralph.core.internal.view.Replay;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** The rules of notes, as pure functions: no store takes part. */
class NoteRulesTest {

  private final NoteDecider decider = new NoteDecider(Topic.of("ralph.test.note"));
  private final Replay<?, List<Note>> log = Replay.of(new NoteFold());

  @Test
  void aNoteKeepsTypeTextAndIteration() {
    Note note = log.append(decider.add("my-type_1", "Look there", 4));
    assertThat(note.type()).isEqualTo("my-type_1");
    assertThat(note.content()).isEqualTo("Look there");
    assertThat(note.iteration()).isEqualTo(4);
    assertThat(note.added()).isEqualTo(Replay.NOW);
    assertThat(log.state()).hasSize(1);
  }

  @ParameterizedTest
  @CsvSource({"'', a, 0", "a b, a, 0", "a.b, a, 0", "../x, a, 0", "tip, ' ', 0", "tip, a, -1"})
  void whatIsNoNoteIsRefused(String type, String content, int iteration) {
    assertThatThrownBy(() -> decider.add(type, content, iteration))
        .isInstanceOfSatisfying(
            RalphException.class, e -> assertThat(e.code()).isEqualTo(Code.INVALID));
  }

  @Test
  void framesOfAnotherProgramAreUnderstood() {
    log.frame("{'action':'add','type':'stuck','iteration':2}", "a");
    log.frame("{'type':'tip'}", "b");
    log.frame("{'action':'add','type':7,'iteration':'x'}", "c");
    log.frame("{'action':'delete'}", "d");
    assertThat(log.state()).extracting(Note::type).containsExactly("stuck", "tip", "note");
    assertThat(log.state()).extracting(Note::iteration).containsExactly(2, 0, 0);
  }

  @Test
  void aTypeThatANoteMayNotHaveIsNone() {
    log.frame("{'type':'x\\n\\n## Instructions'}", "a");
    log.frame("{'type':'two words'}", "b");
    log.frame("{'type':'" + "x".repeat(128) + "'}", "c");
    assertThat(log.state()).extracting(Note::type).containsOnly("note");
  }

  @Test
  void aStateSurvivesItsEncoding() {
    log.append(decider.add("tip", "a\n\"b\"", 4));
    List<Note> before = log.state();
    log.encodeAndDecode();
    assertThat(log.state()).usingRecursiveComparison().isEqualTo(before);
  }
}
