package dev.ralph.core.internal.prompt;

import dev.ralph.Note;
import dev.ralph.core.internal.text.TextExcerpt;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/** The notes of earlier iterations by type, the newest notes if there are too many. */
final class NoteSection {

  /** The maximum length of the section in characters, about 3,000 tokens. */
  private static final int BUDGET = 12_000;

  /** The length limit of a note; longer notes would displace too many others. */
  private static final int NOTE = 1_500;

  private NoteSection() {}

  /**
   * Renders the notes of iterations before an iteration. Notes of this or later iterations belong
   * to another writer and are omitted. A note without an iteration counts as earlier.
   */
  static String render(List<Note> notes, int iteration) {
    Map<String, List<String>> byType = new LinkedHashMap<>();
    int left = BUDGET;
    int omitted = 0;
    for (int i = notes.size() - 1; i >= 0; i--) {
      Note note = notes.get(i);
      if (note.iteration() >= iteration) {
        continue;
      }
      String item = left < 0 ? "" : item(note);
      left -= item.length() + 1;
      if (left < 0) {
        omitted++;
      } else {
        byType.computeIfAbsent(note.type(), type -> new ArrayList<>()).add(0, item);
      }
    }
    if (byType.isEmpty()) {
      return "";
    }
    List<String> lines = new ArrayList<>();
    lines.add("## Notes from earlier iterations");
    byType.forEach(
        (type, items) -> {
          lines.add(type + ":");
          lines.addAll(items);
        });
    if (omitted > 0) {
      lines.add("(" + omitted + " older not shown)");
    }
    return String.join("\n", lines);
  }

  private static String item(Note note) {
    String from = note.iteration() == 0 ? "" : "[#" + note.iteration() + "] ";
    String about = note.about() == null ? "" : TextExcerpt.firstLine(note.about(), NOTE) + ": ";
    return "- "
        + from
        + about
        + TextExcerpt.indented(note.beginning(NOTE))
        + (note.length() > NOTE ? "…" : "");
  }
}
