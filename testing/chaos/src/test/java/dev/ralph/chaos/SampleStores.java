package dev.ralph.chaos;

import dev.ralph.AgentResult;
import dev.ralph.NewMessage;
import dev.ralph.NewTask;
import dev.ralph.Ralph;
import dev.ralph.Session;
import dev.ralph.log.RalphException;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;

/** Creates stores with a realistic history and all kinds of files. */
final class SampleStores {

  // two such batches exceed the 2,000 frames of a snapshot
  private static final int SNAPSHOT_FRAMES = 1_100;

  private final String kind;
  private final Path folder;

  /** Prepares to create stores of a kind in a folder, and creates the folder. */
  SampleStores(String kind, Path folder) throws IOException {
    this.kind = kind;
    this.folder = Files.createDirectories(folder);
  }

  /** Creates the stores and returns their folders. All stores are closed. */
  List<Path> make() throws IOException {
    List<Path> made = new ArrayList<>();
    made.add(lived("one"));
    made.add(lived("other"));
    if (kind.equals("file")) {
      made.add(interrupted(lived("interrupted")));
    }
    made.add(large("large"));
    return made;
  }

  private Path lived(String name) throws IOException {
    Path store = folder.resolve(name);
    try (Ralph ralph = open(store)) {
      Session auth = ralph.session("auth");
      auth.inbox().send("Use the old parser");
      auth.inbox().send(NewMessage.of("Do the API first").by("operator").key("first"));
      auth.inbox().markRead("m1");
      auth.inbox().send("large " + "x".repeat(100_000));
      auth.tasks().addAll(List.of(NewTask.of("Write the form"), NewTask.of("Test it").key("k")));
      auth.tasks().depend("t2", "t1");
      auth.tasks().claim("t1", "agent", Duration.ofHours(1));
      auth.notes().add("learning", "the parser is old", 1);
      auth.questions().ask("Which colour?");
      auth.questions().answer("q1", "Blue");
      auth.loop(turn -> AgentResult.success()).maxIterations(1).run();
    }
    if (kind.equals("file")) {
      beginSegment(store, 2);
    }
    try (Ralph ralph = open(store)) {
      Session docs = ralph.session("docs");
      for (int i = 0; i < 3; i++) {
        docs.inbox().send(i + "y".repeat(40_000));
      }
      docs.tasks().add("Describe it");
      docs.tasks().complete("t1");
      Session old = ralph.session("old");
      old.inbox().send("secret " + "z".repeat(100_000));
      old.tasks().add("A secret");
      if (kind.equals("file")) { // the Chronicle store cannot erase
        old.delete();
      }
    }
    return store;
  }

  /** Adds the files of a process that was killed during an erasure. */
  private Path interrupted(Path store) throws IOException {
    Path snapshots = store.resolve("derived/snapshots");
    try (Ralph ralph = open(store)) {
      Session docs = ralph.session("leaving");
      docs.inbox().send("secret " + "w".repeat(100_000));
      docs.tasks().add("Another secret");
      Files.createDirectories(snapshots.getParent());
      Files.writeString(snapshots, ""); // makes the last part of the erasure fail
      try {
        docs.delete();
        throw new IllegalStateException("erasing was not interrupted");
      } catch (RalphException interrupted) {
        Files.delete(snapshots);
      }
    }
    if (Files.notExists(store.resolve("erasing"))) {
      throw new IllegalStateException("erasing left nothing to be done");
    }
    return store;
  }

  /** Creates a store with snapshots. */
  private Path large(String name) throws IOException {
    Path store = folder.resolve(name);
    try (Ralph ralph = open(store)) {
      Session auth = ralph.session("auth");
      for (int batch = 0; batch < 2; batch++) {
        List<NewTask> tasks = new ArrayList<>();
        for (int i = 0; i < SNAPSHOT_FRAMES; i++) {
          tasks.add(NewTask.of("task " + i));
        }
        auth.tasks().addAll(tasks);
      }
      auth.tasks().list();
      auth.inbox().send("Hurry");
    }
    try (Ralph ralph = open(store)) {
      ralph.session("auth").tasks().list();
    }
    if (Files.notExists(store.resolve("derived/snapshots"))) {
      throw new IllegalStateException("no snapshot was kept");
    }
    return store;
  }

  private Ralph open(Path store) {
    return Ralph.builder().store(kind).directory(store).open();
  }

  /** Starts a new segment, as the store does after 128 MiB. */
  private static void beginSegment(Path store, int number) throws IOException {
    List<String> before = Files.readAllLines(segment(store, number - 1));
    String header = before.get(0).replace("\"segment\":" + (number - 1), "\"segment\":" + number);
    int fields = header.lastIndexOf(header.contains(",\"after\"") ? ",\"after\"" : ",\"crc\"");
    String link = ForgedLine.checksumIn(before.get(before.size() - 1));
    String text = header.substring(0, fields) + ",\"after\":\"" + link + "\"";
    Files.write(
        segment(store, number),
        (ForgedLine.checksummed(text) + "\n").getBytes(StandardCharsets.UTF_8));
    Path lock = store.resolve("lock");
    byte[] page = Files.readAllBytes(lock);
    page[31] = (byte) number; // the number of the newest segment
    Files.write(lock, page);
  }

  private static Path segment(Path store, int number) {
    return store.resolve("log/0000000" + number + ".jsonl");
  }
}
