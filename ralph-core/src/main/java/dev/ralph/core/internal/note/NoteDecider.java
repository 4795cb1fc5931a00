package dev.ralph.core.internal.note;

import dev.ralph.Note;
import dev.ralph.domain.KeptText;
import dev.ralph.log.Decision;
import dev.ralph.log.Draft;
import dev.ralph.log.Meta;
import dev.ralph.log.RalphException;
import dev.ralph.log.Topic;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** The rules for adding and removing notes. */
final class NoteDecider {

  /**
   * The maximum length of a note's subject in characters, short enough for the state to keep the
   * whole text.
   */
  private static final int LONGEST_ABOUT = 200;

  private final Topic topic;

  NoteDecider(Topic topic) {
    this.topic = topic;
  }

  Decision<Notes, Note> add(
      Notes notes, String type, String content, int iteration, @Nullable String about) {
    Topic.checkSegment("note type", type);
    if (content.isBlank()) {
      throw RalphException.invalid("a note needs a text");
    }
    if (iteration < 0) {
      throw RalphException.invalid("an iteration must not be negative: " + iteration);
    }
    if (about != null && (about.isBlank() || about.length() > LONGEST_ABOUT)) {
      throw RalphException.invalid(
          "the subject of a note must have 1 to " + LONGEST_ABOUT + " characters, or be omitted");
    }
    Meta meta =
        Meta.of("action", "add")
            .with("type", type)
            .with("n", notes.highestNumber() + 1)
            .with("iteration", iteration == 0 ? null : iteration)
            .with("about", about);
    return Decision.append(
        List.of(Draft.of(topic, KeptText.announce(meta, content), content)),
        (after, frames) -> after.get(frames.get(0).id()));
  }

  Decision<Notes, Note> remove(Notes notes, String ref) {
    Note removed = notes.get(ref);
    Meta meta = Meta.of("action", "remove").with("id", removed.id());
    return Decision.append(Draft.of(topic, meta), after -> removed);
  }
}
