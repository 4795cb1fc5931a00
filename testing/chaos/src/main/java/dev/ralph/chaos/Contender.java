package dev.ralph.chaos;

import dev.ralph.Claim;
import dev.ralph.Ralph;
import dev.ralph.TaskLog;
import dev.ralph.log.Batch;
import dev.ralph.log.Draft;
import dev.ralph.log.Frame;
import dev.ralph.log.IndeterminateException;
import dev.ralph.log.Meta;
import dev.ralph.log.Position;
import dev.ralph.log.RalphException;
import dev.ralph.log.Topic;
import dev.ralph.log.TopicFilter;
import dev.ralph.spi.FrameStore;
import java.io.IOException;
import java.nio.file.Path;
import java.time.Clock;
import java.time.Duration;
import java.util.HashSet;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.SplittableRandom;
import org.jspecify.annotations.Nullable;

/**
 * A process that competes for a few registers until killed, and records all operations: the last
 * frame of a topic, which it reads and appends to with or without a condition, and the owners of
 * tasks.
 */
public final class Contender {

  static final String SESSION = "contended";
  static final int TASKS = 40;

  private static final int TOPICS = 3;
  private static final Duration LEASE = Duration.ofHours(1);

  private final FrameStore store;
  private final TaskLog tasks;
  private final History history;
  private final SplittableRandom random;
  private final int client;
  private final Set<String> claimed = new HashSet<>();
  private long written;

  private Contender(FrameStore store, TaskLog tasks, History history, int client, long seed) {
    this.store = store;
    this.tasks = tasks;
    this.history = history;
    this.client = client;
    this.random = new SplittableRandom(seed + client);
  }

  /**
   * Runs the process.
   *
   * @param args the store's address, the file for the history, the process's number and the seed
   */
  public static void main(String[] args) throws IOException {
    Thread leash = new Thread(() -> Writer.endWithInput(() -> {}), "leash");
    leash.setDaemon(true);
    leash.start();
    try (FrameStore store = Stores.open(args[0]);
        Ralph ralph = Ralph.over(store, Clock.systemUTC());
        History history = History.open(Path.of(args[1]))) {
      Contender contender =
          new Contender(
              store,
              ralph.session(SESSION).tasks(),
              history,
              Integer.parseInt(args[2]),
              Long.parseLong(args[3]));
      contender.step();
      System.out.println("working");
      while (true) {
        contender.step();
      }
    }
  }

  private void step() throws IOException {
    int choice = random.nextInt(10);
    if (choice < 1) {
      claim("t" + (1 + random.nextInt(TASKS)));
      return;
    }
    Topic topic = Topic.of("chaos.contended.r" + random.nextInt(TOPICS));
    if (choice < 5) {
      read(topic);
    } else if (choice < 6) {
      append(topic, null);
    } else {
      append(topic, read(topic));
    }
  }

  private record Seen(long value, Position position) {}

  private Seen read(Topic topic) throws IOException {
    while (true) {
      history.begin(topic.name(), "read", 0, 0);
      try {
        Optional<Frame> last = store.last(TopicFilter.of(topic));
        long value = last.map(frame -> frame.meta().integer("value").orElseThrow()).orElse(0L);
        history.end("read", value);
        return new Seen(value, last.map(Frame::position).orElse(Position.START));
      } catch (RalphException failed) {
        history.end(History.NOTHING, 0);
      }
    }
  }

  /** Appends a frame; if a frame was read before, on condition that it is still the last. */
  private void append(Topic topic, @Nullable Seen seen) throws IOException {
    long value = client * 1_000_000L + ++written;
    Draft draft = Draft.of(topic, Meta.of("value", value));
    Batch batch = Batch.of("contender-" + value, List.of(draft));
    if (seen != null) {
      batch = batch.onlyIf(new Batch.Condition(TopicFilter.of(topic), seen.position()));
    }
    String kind = seen == null ? "write" : "swap";
    history.begin(topic.name(), kind, seen == null ? 0 : seen.value(), value);
    try {
      boolean isConflict = store.append(batch).isConflict();
      history.end(isConflict ? History.NOTHING : kind, value);
    } catch (IndeterminateException unknown) {
      history.end(History.UNKNOWN, 0);
    } catch (RalphException refused) {
      history.end(History.NOTHING, 0);
    }
  }

  private void claim(String task) throws IOException {
    history.begin("task-" + task, "swap", 0, client);
    try {
      Optional<Claim> claim = tasks.claim(task, "client-" + client, LEASE);
      if (claim.isEmpty()) {
        history.end("taken", 0);
      } else {
        // A task's owner may claim it again.
        boolean isNew = claimed.add(task);
        history.end(isNew ? "swap" : "taken", client);
      }
    } catch (IndeterminateException unknown) {
      claimed.add(task);
      history.end(History.UNKNOWN, 0);
    } catch (RalphException refused) {
      history.end(History.NOTHING, 0);
    }
  }
}
