package dev.ralph.chaos;

import dev.ralph.NewTask;
import dev.ralph.Ralph;
import dev.ralph.log.Frame;
import dev.ralph.log.FrameCursor;
import dev.ralph.log.Query;
import dev.ralph.log.TopicFilter;
import java.io.BufferedReader;
import java.io.IOException;
import java.lang.ProcessBuilder.Redirect;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.SplittableRandom;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import org.jspecify.annotations.Nullable;

/**
 * Kills processes that delete a session of many frames. Every reader has to find the session whole
 * or deleted: a reader opened before, a reader opened afterwards, and a reader opened after the
 * next append.
 */
final class DeletionRounds {

  private static final int TASKS = 1_500;
  private static final int BATCH = 500;

  private final String address;
  private final boolean served;
  private final Path folder;
  private final SplittableRandom random;
  private long longestMicros;
  private int whole;
  private int deleted;
  private int killed;

  /**
   * The result of a run.
   *
   * @param whole the number of sessions that were whole after the kill
   * @param deleted the number of sessions that were deleted
   * @param killed the number of processes killed before they reported the deletion
   */
  record Figures(int whole, int deleted, int killed) {}

  private DeletionRounds(String address, boolean served, Path folder, long seed) {
    this.address = address;
    this.served = served;
    this.folder = folder;
    this.random = new SplittableRandom(seed);
  }

  /**
   * Runs the rounds.
   *
   * @param address the address of the store
   * @param served whether the sessions are deleted over a socket; the socket's server may be killed
   *     too
   * @param folder the folder of the socket
   * @throws AssertionError if a reader found a part of a session
   */
  static Figures run(String address, boolean served, Path folder, int rounds, long seed)
      throws IOException, InterruptedException {
    DeletionRounds all = new DeletionRounds(address, served, folder, seed);
    try (Ralph warm = Ralph.open(address)) {
      warm.session("other").tasks().add("stays");
      all.round(warm, "complete", false); // measures the duration of a deletion
      for (int i = 0; i < rounds; i++) {
        all.round(warm, "session-" + i, true);
      }
    }
    return new Figures(all.whole, all.deleted, all.killed);
  }

  private void round(Ralph warm, String name, boolean kills)
      throws IOException, InterruptedException {
    List<NewTask> tasks = new ArrayList<>();
    for (int i = 0; i < TASKS; i++) {
      tasks.add(NewTask.of(name + " task " + i + " of a session that is deleted"));
    }
    for (int from = 0; from < TASKS; from += BATCH) {
      warm.session(name).tasks().addAll(tasks.subList(from, from + BATCH));
    }
    int before = frames(warm, name);
    List<Process> running = new ArrayList<>();
    try {
      String location = address;
      if (served) {
        Process server = serve(name);
        running.add(server);
        location = Objects.requireNonNull(firstLine(server), "no address of the server");
      }
      Process deleter = start(Deleter.class, location, name);
      running.add(deleter);
      String line = firstLine(deleter);
      if (!Deleter.BEGINS.equals(line)) {
        throw new AssertionError("the deleting process printed " + line);
      }
      long from = System.nanoTime();
      if (kills) {
        LockSupport.parkNanos(TimeUnit.MICROSECONDS.toNanos(random.nextLong(longestMicros)));
        killed += deleter.isAlive() ? 1 : 0;
        WriterProcesses.kill(List.of(running.get(random.nextInt(running.size()))));
      } else if (!deleter.waitFor(1, TimeUnit.MINUTES)) {
        throw new AssertionError("a deletion did not end in time");
      }
      longestMicros = Math.max(longestMicros, (System.nanoTime() - from) / 1_000);
    } finally {
      WriterProcesses.kill(running);
    }
    check(warm, name, before, "a reader that was open");
    try (Ralph fresh = Ralph.open(address)) {
      check(fresh, name, before, "a new reader");
      fresh.session("other").tasks().add("after " + name);
      check(fresh, name, before, "a reader after an append");
      if (!fresh.log().verify().isEmpty()) {
        throw new AssertionError(name + ": " + fresh.log().verify());
      }
      whole += fresh.hasSession(name) ? 1 : 0;
      deleted += fresh.hasSession(name) ? 0 : 1;
    }
    check(warm, name, before, "a reader that was open, after an append");
  }

  private static void check(Ralph ralph, String name, int before, String reader) {
    boolean exists = ralph.hasSession(name);
    int frames = frames(ralph, name);
    int tasks = ralph.session(name).tasks().list().size();
    boolean listed = ralph.sessions().contains(name);
    boolean isWhole = exists && listed && frames == before && tasks == TASKS;
    boolean isDeleted = !exists && !listed && frames == 0 && tasks == 0;
    if (!isWhole && !isDeleted) {
      throw new AssertionError(
          "%s: %s sees %d of %d frames, %d tasks, exists %s, listed %s"
              .formatted(name, reader, frames, before, tasks, exists, listed));
    }
  }

  /** Returns the number of frames with a text. The mark of a deletion has none. */
  private static int frames(Ralph ralph, String name) {
    TopicFilter all = TopicFilter.parse("ralph." + name + ".*");
    int count = 0;
    try (FrameCursor cursor = ralph.log().read(Query.of(all))) {
      for (Frame frame = cursor.next(); frame != null; frame = cursor.next()) {
        count += frame.isErased() || frame.isErasureNotice() || frame.content().isEmpty() ? 0 : 1;
      }
    }
    return count;
  }

  private Process serve(String name) throws IOException {
    Path sockets = Files.createDirectories(folder.resolve("s"));
    Files.setPosixFilePermissions(sockets, PosixFilePermissions.fromString("rwx------"));
    return start(StoreServer.class, address, sockets.resolve(name).toString());
  }

  private static Process start(Class<?> main, String... arguments) throws IOException {
    return Jvm.builder(List.of(), main, arguments).redirectError(Redirect.DISCARD).start();
  }

  private static @Nullable String firstLine(Process process) throws IOException {
    BufferedReader output = process.inputReader(StandardCharsets.UTF_8);
    return output.readLine();
  }
}
