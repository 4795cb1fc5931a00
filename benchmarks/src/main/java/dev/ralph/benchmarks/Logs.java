package dev.ralph.benchmarks;

import dev.ralph.Ralph;
import dev.ralph.log.Batch;
import dev.ralph.log.Draft;
import dev.ralph.log.Frame;
import dev.ralph.log.FrameLog;
import dev.ralph.log.Meta;
import dev.ralph.log.Topic;
import dev.ralph.spi.Scru128;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Clock;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.stream.Stream;

/** The logs to read, with task frames of about 200 bytes as sessions write them. */
final class Logs {

  private static final String DIRECTORY = "benchmarks.directory";

  private Logs() {}

  /** Returns the folder of all logs, on the measured disk; deleted at the end. */
  static Path directory() {
    String given = System.getProperty(DIRECTORY);
    return given == null
        ? Path.of(System.getProperty("java.io.tmpdir"), "ralph-benchmarks")
        : Path.of(given);
  }

  /** Sets the folder of all logs. */
  static void setDirectory(Path directory) {
    System.setProperty(DIRECTORY, directory.toString());
  }

  /** Returns the JVM argument that passes the folder of logs to a child process. */
  static String directoryArgument() {
    return "-D" + DIRECTORY + "=" + directory();
  }

  /** Returns a log with frames of alternating sessions, created if missing. */
  static Path of(int frames, int sessions) {
    return of(frames, sessions, 1);
  }

  /** Returns such a log with the given batch size. */
  static Path of(int frames, int sessions, int framesPerBatch) {
    return of("file", frames, sessions, framesPerBatch);
  }

  /** Returns such a log in a store of the given kind. */
  static Path of(String kind, int frames, int sessions, int framesPerBatch) {
    String name = kind + "-" + frames + "-" + sessions + "-" + framesPerBatch;
    Path store = directory().resolve("log-" + name);
    Path made = store.resolveSibling(store.getFileName() + ".made");
    if (!Files.exists(made)) {
      delete(store);
      try (Ralph ralph = Ralph.builder().store(kind).directory(store).open()) {
        Writer writer = new Writer(ralph.log(), "session-", sessions);
        writer.write(frames, framesPerBatch);
        Files.createFile(made);
      } catch (IOException e) {
        throw new UncheckedIOException(e);
      }
    }
    return store;
  }

  /** Opens a new store of the given kind; a persistent store is in the given folder. */
  static Ralph open(String kind, Path folder) {
    return kind.equals("memory")
        ? Ralph.inMemory()
        : Ralph.builder().store(kind).directory(folder).open();
  }

  /** Returns the topic of a session's tasks. */
  static Topic topic(int session) {
    return Topic.of("ralph.session-" + session + ".task");
  }

  /** Deletes a file or folder if it exists. */
  static void delete(Path path) {
    if (!Files.exists(path)) {
      return;
    }
    try (Stream<Path> below = Files.walk(path)) {
      for (Path each : below.sorted(Comparator.reverseOrder()).toList()) {
        Files.delete(each);
      }
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  /**
   * Writes frames of alternating sessions: one adds a task, and the next three change its status.
   */
  static final class Writer {
    private static final String[] STATUSES = {"in_progress", "blocked", "completed"};

    private final FrameLog store;
    private final Scru128 batchIds = new Scru128(Clock.systemUTC());
    private final List<Topic> topics = new ArrayList<>();
    private final String[] newest;
    private final int[] written;

    Writer(FrameLog store, String sessionPrefix, int sessions) {
      this.store = store;
      for (int i = 0; i < sessions; i++) {
        topics.add(Topic.of("ralph." + sessionPrefix + i + ".task"));
      }
      this.newest = new String[sessions];
      this.written = new int[sessions];
    }

    void write(int count, int framesPerBatch) {
      int left = count;
      for (int turn = 0; left > 0; turn++) {
        int session = turn % topics.size();
        List<Draft> drafts = new ArrayList<>();
        int added = -1;
        for (int i = 0; i < Math.min(framesPerBatch, left); i++) {
          added = written[session] % 4 == 0 ? i : added;
          drafts.add(draft(session));
        }
        Batch batch = Batch.of(batchIds.next(), drafts).synced(false);
        List<Frame> frames = store.append(batch).frames();
        if (added >= 0) {
          newest[session] = frames.get(added).id();
        }
        left -= drafts.size();
      }
    }

    private Draft draft(int session) {
      int n = written[session]++;
      return n % 4 == 0 || newest[session] == null
          ? add(topics.get(session), n / 4 + 1)
          : Draft.of(
              topics.get(session),
              Meta.of("action", "status")
                  .with("id", newest[session])
                  .with("status", STATUSES[n % 4 - 1])
                  .with("iteration", n / 100 + 1));
    }

    static Draft add(Topic topic, int n) {
      return Draft.of(
          topic,
          Meta.of("action", "add").with("status", "remaining").with("n", n),
          "Write the form for case " + n + ", with a test of each field");
    }
  }
}
