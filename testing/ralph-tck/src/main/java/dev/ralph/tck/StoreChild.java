package dev.ralph.tck;

import static dev.ralph.tck.internal.Reading.read;

import dev.ralph.log.Batch;
import dev.ralph.log.Draft;
import dev.ralph.log.Follower;
import dev.ralph.log.Frame;
import dev.ralph.log.FrameCursor;
import dev.ralph.log.LockedException;
import dev.ralph.log.Meta;
import dev.ralph.log.Position;
import dev.ralph.log.Query;
import dev.ralph.log.RalphException;
import dev.ralph.log.Topic;
import dev.ralph.log.TopicFilter;
import dev.ralph.spi.FrameStore;
import dev.ralph.spi.FrameStoreProvider;
import dev.ralph.spi.StoreConfig;
import dev.ralph.tck.internal.Reading;
import dev.ralph.tck.internal.TimeLimit;
import java.io.BufferedReader;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.InputStreamReader;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Clock;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.ServiceLoader;
import java.util.UUID;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.Collectors;

/**
 * A process for commands on a store. Opens the store by the provider's name, reads commands from
 * standard input and answers on standard output. The last answer to a command begins with {@code
 * done}, or with {@code failed} and the reason. The process exits at the end of the input, and
 * therefore does not outlive the tests.
 *
 * <ul>
 *   <li>{@code append TOPIC BATCHES FRAMES LENGTH}: appends numbered batches with alternating
 *       durability; answers {@code try BATCH} before and {@code ack BATCH} after each
 *   <li>{@code storm TOPIC THREADS FRAMES LENGTH}: the same from several threads without end and
 *       without syncs, so that at most moments an append is in progress
 *   <li>{@code race TOPIC ROUNDS START}: in each round, appends to the round's topic on condition
 *       that it is empty; answers {@code won ROUND}. The rounds begin at the same times in all
 *       processes, the first at START in Unix milliseconds
 *   <li>{@code follow WARM COUNT}: takes frames; answers {@code ready} after the first WARM, then
 *       {@code got ID} for each frame and {@code done BYTES}, the bytes read for the COUNT frames
 *       after WARM, or -1 if the system does not count them
 *   <li>{@code read COUNT}: reads the log repeatedly until it has COUNT frames
 *   <li>{@code after POSITION}: reads after the position; answers {@code done FRAMES BYTES}
 *   <li>{@code unusual TOPIC}: appends the unusual content
 *   <li>{@code holds TOPIC}: checks that the topic has exactly the unusual content
 *   <li>{@code erase TOPIC}: erases the frames of the topic individually, each with {@code ack ID}
 *   <li>{@code compact}: compacts the log after the line {@code ready}
 *   <li>{@code reopen}: closes the store and opens it again
 * </ul>
 */
public final class StoreChild {

  private static final Path IO_COUNTERS = Path.of("/proc/self/io");
  private static final long ROUND_MILLIS = 4;

  private static final String SERVER = "server ";
  private static final String FOLDER = "folder ";
  private static final String NOWHERE = "-";

  private final String[] args;
  private final PrintStream answers;
  private volatile FrameStore store;
  private final AtomicInteger batches = new AtomicInteger();

  /**
   * Distinguishes this child's batches from all batches of other children, also in the same
   * process.
   */
  private final String batchPrefix = "c" + UUID.randomUUID() + "-";

  private StoreChild(String[] args, FrameStore store, PrintStream answers) {
    this.args = args;
    this.store = store;
    this.answers = answers;
  }

  /**
   * Runs the child.
   *
   * @param args the provider's name; the place as written by {@link #argument}; and the offset of
   *     its clock in milliseconds
   */
  public static void main(String[] args) throws IOException {
    PrintStream answers = new PrintStream(System.out, true, StandardCharsets.UTF_8);
    StoreChild child;
    try {
      child = new StoreChild(args, open(args), answers);
    } catch (RalphException refused) {
      answers.println("failed " + refused.code() + " " + refused);
      return;
    }
    answers.println("done " + child.store.info().storeId());

    ExecutorService worker = Executors.newSingleThreadExecutor();
    BufferedReader input =
        new BufferedReader(new InputStreamReader(System.in, StandardCharsets.UTF_8));
    for (String line = input.readLine(); line != null; line = input.readLine()) {
      String[] command = line.split(" ");
      worker.execute(() -> child.run(command));
    }
    Runtime.getRuntime().halt(0);
  }

  /**
   * Opens the store, executes commands and closes the store, in this process and with the class
   * loader of this class.
   *
   * @param args as for {@link #main}
   * @param commands the commands
   * @return the answers
   */
  public static List<String> runHere(String[] args, List<String> commands) {
    ByteArrayOutputStream output = new ByteArrayOutputStream();
    PrintStream answers = new PrintStream(output, true, StandardCharsets.UTF_8);
    try (FrameStore store = open(args)) {
      StoreChild child = new StoreChild(args, store, answers);
      answers.println("done " + store.info().storeId());
      commands.forEach(command -> child.run(command.split(" ")));
    } catch (RalphException refused) {
      answers.println("failed " + refused.code() + " " + refused);
    }
    return output.toString(StandardCharsets.UTF_8).lines().collect(Collectors.toList());
  }

  private static FrameStore open(String[] args) {
    Clock clock = Clock.offset(Clock.systemUTC(), Duration.ofMillis(Long.parseLong(args[2])));
    return provider(args[0]).open(place(args[1]).clock(clock));
  }

  /** Returns the place of a store as an argument for a child. */
  static String argument(StoreConfig place) {
    String server = place.server();
    Path directory = place.directory();
    return server != null ? SERVER + server : directory == null ? NOWHERE : FOLDER + directory;
  }

  private static StoreConfig place(String argument) {
    if (argument.startsWith(SERVER)) {
      return StoreConfig.at(argument.substring(SERVER.length()));
    }
    return StoreConfig.in(
        argument.equals(NOWHERE) ? null : Path.of(argument.substring(FOLDER.length())));
  }

  private static FrameStoreProvider provider(String name) {
    ClassLoader own = StoreChild.class.getClassLoader();
    for (FrameStoreProvider provider : ServiceLoader.load(FrameStoreProvider.class, own)) {
      if (provider.name().equals(name)) {
        return provider;
      }
    }
    throw new IllegalArgumentException("no provider is named " + name);
  }

  private void run(String[] command) {
    try {
      answers.println("done " + answer(command));
    } catch (Exception | AssertionError e) {
      e.printStackTrace();
      answers.println("failed " + e);
    }
  }

  private String answer(String[] command) throws Exception {
    switch (command[0]) {
      case "append":
        return append(
            Topic.of(command[1]), number(command, 2), number(command, 3), number(command, 4));
      case "storm":
        return storm(
            Topic.of(command[1]), number(command, 2), number(command, 3), number(command, 4));
      case "race":
        return race(Topic.of(command[1]), number(command, 2), Long.parseLong(command[3]));
      case "follow":
        return follow(number(command, 1), number(command, 2));
      case "read":
        return read(number(command, 1));
      case "after":
        return after(Position.of(Long.parseLong(command[1])));
      case "unusual":
        return unusual(Topic.of(command[1]));
      case "holds":
        return holds(Topic.of(command[1]));
      case "erase":
        return erase(Topic.of(command[1]));
      case "erase-all":
        return eraseAll(Topic.of(command[1]));
      case "compact":
        answers.println("ready");
        return "" + store.compact();
      case "reopen":
        store.close();
        store = open(args);
        return "opened";
      default:
        throw new IllegalArgumentException("no such command: " + command[0]);
    }
  }

  private static int number(String[] command, int index) {
    return Integer.parseInt(command[index]);
  }

  private String append(Topic topic, int count, int frames, int length) {
    for (int i = 0; i < count; i++) {
      append(topic, frames, length, i % 2 == 0);
    }
    return "appended";
  }

  private void append(Topic topic, int frames, int length, boolean synced) {
    String id = batchPrefix + batches.incrementAndGet();
    answers.println("try " + id);
    store.append(NumberedBatch.of(id, topic, frames, length).synced(synced));
    answers.println("ack " + id);
  }

  private String storm(Topic topic, int threads, int frames, int length) throws Exception {
    try (TestThreads testThreads = new TestThreads()) {
      for (int t = 0; t < threads; t++) {
        testThreads.start("storm-" + t, () -> stormAlone(topic, frames, length));
      }
      testThreads.join();
    }
    return "over";
  }

  private Void stormAlone(Topic topic, int frames, int length) {
    while (true) {
      try {
        append(topic, frames, length, false);
      } catch (LockedException stoppedForTooLong) {
        // this process was stopped while it waited for the lock
      }
    }
  }

  private String race(Topic topic, int rounds, long start) throws InterruptedException {
    String name = "" + ProcessHandle.current().pid();
    for (int round = 0; round < rounds; round++) {
      Topic prize = topic.child("round-" + round);
      Thread.sleep(Math.max(0, start + round * ROUND_MILLIS - System.currentTimeMillis()));
      Batch batch =
          Batch.of("r" + name + "-" + round, List.of(Draft.of(prize, Meta.empty(), name)))
              .synced(false)
              .onlyIf(new Batch.Condition(TopicFilter.of(prize), Position.START));
      if (!store.append(batch).isConflict()) {
        answers.println("won " + round);
      }
    }
    return "raced";
  }

  private String follow(int warm, int count) throws InterruptedException {
    try (Follower follower = store.follow(Query.of(TopicFilter.all()))) {
      List<Frame> frames = new ArrayList<>(Reading.take(follower, warm));
      long before = bytesRead();
      answers.println("ready");
      frames.addAll(Reading.take(follower, count));
      long bytes = before < 0 ? -1 : bytesRead() - before;
      NumberedBatch.assertWhole(frames);
      for (Frame frame : frames) {
        answers.println("got " + frame.id());
      }
      return "" + bytes;
    }
  }

  private String read(int count) throws InterruptedException {
    TimeLimit deadline = TimeLimit.in(TimeLimit.patience());
    int reads = 0;
    int held = 0;
    while (held < count) {
      List<Frame> log = StoreConformance.readAll(store);
      NumberedBatch.assertWhole(log);
      if (log.size() < held) {
        throw new AssertionError(held + " frames were there, and now " + log.size());
      }
      if (log.size() > held) {
        deadline = TimeLimit.in(TimeLimit.patience());
      }
      held = log.size();
      reads++;
      Thread.sleep(5); // leaves CPU time to the writers
      deadline.check("only " + held + " of " + count + " frames came");
    }
    return "" + reads;
  }

  private String after(Position position) {
    long before = bytesRead();
    int frames = 0;
    try (FrameCursor cursor = store.read(Query.of(TopicFilter.all()).after(position))) {
      for (Frame frame = cursor.next(); frame != null; frame = cursor.next()) {
        frames += frame.content().isEmpty() ? 0 : 1;
      }
    }
    return frames + " " + (before < 0 ? -1 : bytesRead() - before);
  }

  private String eraseAll(Topic topic) {
    List<String> ids =
        Reading.read(store, Query.of(TopicFilter.of(topic))).stream().map(Frame::id).toList();
    answers.println("ready");
    return "" + store.erase(ids);
  }

  private String erase(Topic topic) {
    for (Frame frame : Reading.read(store, Query.of(TopicFilter.of(topic)))) {
      store.erase(List.of(frame.id()));
      answers.println("ack " + frame.id());
    }
    return "erased";
  }

  private String unusual(Topic topic) {
    String id = batchPrefix + batches.incrementAndGet();
    Map<String, String> contents = UnusualContent.all();
    UnusualContent.assertHeld(
        store.append(UnusualContent.batch(id, topic, contents)).frames(), contents);
    return "appended";
  }

  private String holds(Topic topic) {
    UnusualContent.assertHeld(
        Reading.read(store, Query.of(TopicFilter.of(topic))), UnusualContent.all());
    return "held";
  }

  /**
   * Returns the number of bytes that the process has read, or -1 if the system does not count them.
   */
  private static long bytesRead() {
    try {
      for (String line : Files.readAllLines(IO_COUNTERS)) {
        if (line.startsWith("rchar: ")) {
          return Long.parseLong(line.substring("rchar: ".length()));
        }
      }
      return -1;
    } catch (IOException noSuchFile) {
      return -1;
    }
  }
}
