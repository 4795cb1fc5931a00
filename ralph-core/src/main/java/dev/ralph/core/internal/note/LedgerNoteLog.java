package dev.ralph.core.internal.note;

import dev.ralph.Note;
import dev.ralph.NoteLog;
import dev.ralph.Redactor;
import dev.ralph.log.Ledger;
import dev.ralph.log.Topic;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/** A note log whose changes are decided on the session's frames. */
public final class LedgerNoteLog implements NoteLog {

  private final Ledger<Notes> ledger;
  private final NoteDecider decider;
  private final Topic topic;
  private final Redactor redactor;

  /** Creates a log of present or past notes. */
  public LedgerNoteLog(Ledger<Notes> ledger, Topic topic, Redactor redactor) {
    this.ledger = ledger;
    this.decider = new NoteDecider(topic);
    this.topic = topic;
    this.redactor = redactor;
  }

  @Override
  public Note add(String type, String content, int iteration, @Nullable String about) {
    Objects.requireNonNull(type, "type");
    Objects.requireNonNull(content, "content");
    String kept = redactor.redact(content);
    String matter = about == null ? null : redactor.redact(about);
    return ledger.decide(
        "adding a note to " + topic,
        (notes, now) -> decider.add(notes, type, kept, iteration, matter));
  }

  @Override
  public Note remove(String ref) {
    Objects.requireNonNull(ref, "ref");
    return ledger.decide(
        "removing the note " + ref + " of " + topic, (notes, now) -> decider.remove(notes, ref));
  }

  @Override
  public Note get(String ref) {
    Objects.requireNonNull(ref, "ref");
    return ledger.state().get(ref);
  }

  @Override
  public List<Note> list() {
    return ledger.state().list();
  }

  @Override
  public List<Note> byType(String type) {
    Objects.requireNonNull(type, "type");
    List<Note> found = new ArrayList<>(list());
    found.removeIf(note -> !note.type().equals(type));
    return List.copyOf(found);
  }
}
