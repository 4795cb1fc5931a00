package dev.ralph.core.internal.note;

import dev.ralph.Draft;
import dev.ralph.Meta;
import dev.ralph.Note;
import dev.ralph.RalphException;
import dev.ralph.Topic;
import dev.ralph.core.internal.view.Decision;
import java.util.List;

/** The rules for adding notes. */
final class NoteDecider {

  private final Topic topic;

  NoteDecider(Topic topic) {
    this.topic = topic;
  }

  Decision<List<Note>, Note> add(String type, String content, int iteration) {
    Topic.checkSegment("note type", type);
    if (content.isBlank()) {
      throw RalphException.invalid("a note needs a text");
    }
    if (iteration < 0) {
      throw RalphException.invalid("an iteration must not be negative, as " + iteration + " is");
    }
    Meta meta =
        Meta.of("action", "add")
            .with("type", type)
            .with("iteration", iteration == 0 ? null : iteration);
    return Decision.append(
        List.of(Draft.of(topic, meta, content)),
        (notes, frames) -> newest(notes, frames.get(0).id()));
  }

  private static Note newest(List<Note> notes, String id) {
    int at = notes.size() - 1;
    while (!notes.get(at).id().equals(id)) {
      at--;
    }
    return notes.get(at);
  }
}
