package dev.ralph.examples;

import dev.ralph.Note;
import dev.ralph.NoteLog;
import dev.ralph.Ralph;
import dev.ralph.log.Fold;
import dev.ralph.log.Frame;
import dev.ralph.log.Topic;
import dev.ralph.log.View;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Map;
import java.util.TreeMap;

/** A custom fold of the log, read at present and at a moment in the past. */
public final class NoteCounts {

  /** Counts notes by type. */
  static final Fold<Map<String, Integer>, Map<String, Integer>> NOTES_BY_TYPE =
      Fold.of(
          "notes-by-type",
          TreeMap::new,
          (counts, frame) -> {
            String type = frame.meta().string("type");
            if (type != null) {
              counts.merge(type, 1, Integer::sum);
            }
          },
          Map::copyOf);

  private NoteCounts() {}

  /** Adds notes and prints the counts of two moments. */
  public static void main(String[] args) throws Exception {
    Path folder = Files.createTempDirectory("ralph-example");
    try (Ralph ralph = Ralph.open(folder.resolve("store"))) {
      NoteLog notes = ralph.session("diary").notes();
      View<Map<String, Integer>> byType = ralph.view(Topic.of("ralph.diary.note"), NOTES_BY_TYPE);

      notes.add(NoteLog.LEARNING, "The build needs JDK 17");
      Note second = notes.add(NoteLog.LEARNING, "Tests run in parallel");
      notes.add(NoteLog.DECISION, "One module a store");
      System.out.println("now: " + new TreeMap<>(byType.current()));

      Frame then = ralph.log().get(second.id()).orElseThrow();
      System.out.println("then: " + new TreeMap<>(byType.at(then)));
    }
  }
}
