package dev.ralph.store.support;

import static java.nio.charset.StandardCharsets.US_ASCII;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import dev.ralph.log.LockedException;
import dev.ralph.log.RalphException;
import java.io.IOException;
import java.net.URISyntaxException;
import java.net.URL;
import java.net.URLClassLoader;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Callable;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.FutureTask;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** One holder among all threads, class loaders and processes. */
class StoreLockTest {

  private static final long HELD_NANOS = TimeUnit.MILLISECONDS.toNanos(200);

  @TempDir Path directory;

  @Test
  void holdingThread_cannotAcquireAgain() throws Exception {
    try (StoreLock lock = open()) {
      lock.acquire();

      assertThatThrownBy(lock::acquire).isInstanceOf(IllegalMonitorStateException.class);
      assertThat(lock.tryAcquire()).isFalse();

      assertHeld();
      lock.release();
      assertFree();
    }
  }

  @Test
  void usersInOneJvm_excludeEachOther() throws Exception {
    try (StoreLock one = open();
        StoreLock two = open()) {
      one.acquire();
      assertThat(inAnotherThread(two::tryAcquire)).isFalse();
      one.release();
      assertThat(inAnotherThread(() -> takeAndRelease(two))).isTrue();
    }
  }

  @Test
  void close_keepsLockOfOtherUserInJvm() throws Exception {
    try (StoreLock holder = open()) {
      holder.acquire();
      inAnotherThread(
          () -> {
            open().close();
            return null;
          });
      assertHeld();
      holder.release();
      assertFree();
    }
  }

  @Test
  void close_keepsLockOfOtherClassLoader() throws Exception {
    try (StoreLock holder = open();
        URLClassLoader apart = classesApart()) {
      AutoCloseable other = openIn(apart);
      holder.acquire();
      assertThat(tryAcquire(other)).isFalse();

      other.close();

      assertHeld();
      holder.release();
      assertFree();
    }
  }

  @Test
  void fileKeptOpenForOtherClassLoader_isReused() throws Exception {
    try (StoreLock holder = open();
        URLClassLoader apart = classesApart()) {
      AutoCloseable other = openIn(apart);
      holder.acquire();
      other.close();
      holder.release();

      try (AutoCloseable again = openIn(apart)) {
        assertThat(tryAcquire(again)).isTrue();
        assertHeld();
        assertThat(holder.tryAcquire()).isFalse();
        again.getClass().getMethod("release").invoke(again);
      }
      assertFree();
    }
  }

  @Test
  void linkOrFolderAsLockFile_isRejected() throws Exception {
    Path outside = Files.writeString(directory.resolve("outside"), "mine");
    Files.createSymbolicLink(file(), outside);
    for (int i = 0; i < 2; i++) {
      assertThatThrownBy(this::open)
          .isInstanceOfSatisfying(
              RalphException.class, e -> assertThat(e.code()).isEqualTo(RalphException.Code.IO))
          .hasMessageContaining("is a symbolic link");
    }
    assertThat(outside).hasContent("mine");
    Files.delete(file()); // deletes the link itself
    Files.createDirectory(file());
    assertThatThrownBy(this::open)
        .isInstanceOfSatisfying(
            RalphException.class, e -> assertThat(e.code()).isEqualTo(RalphException.Code.IO));
    Files.delete(file());
    try (StoreLock lock = open()) {
      assertThat(lock.tryAcquire()).isTrue();
      lock.release();
    }
  }

  @Test
  void deletedOrRecreatedLockFile_isRejected() throws Exception {
    try (StoreLock lock = open()) {
      Files.delete(file());
      assertNotThere(lock);
      try (StoreLock second = open()) {
        assertNotThere(lock);
        assertThat(second.tryAcquire()).isTrue();
        assertNotThere(lock);
        second.release();
      }
      assertFree();
    }
    assertFree();
  }

  private static void assertNotThere(StoreLock lock) {
    assertThat(lock.tryAcquire()).isFalse();
    assertThatThrownBy(lock::acquire)
        .isInstanceOfSatisfying(
            RalphException.class,
            e -> assertThat(e.code()).isEqualTo(RalphException.Code.NOT_FOUND))
        .hasMessageContaining("was deleted, moved or replaced while in use");
  }

  @Test
  void mark_isSharedByAllUsers() throws Exception {
    try (StoreLock lock = open();
        StoreLock other = open()) {
      lock.acquire();
      assertThat(lock.mark()).isZero();
      lock.mark(7);
      lock.release();
      other.acquire();
      assertThat(other.mark()).isEqualTo(7);
      other.release();
    }
    try (StoreLock reopened = open()) {
      reopened.acquire();
      assertThat(reopened.mark()).isEqualTo(7);
      reopened.release();
    }
  }

  @Test
  void timeout_namesHolder() throws Exception {
    try (StoreLock lock = open()) {
      lock.acquire();
      assertThatThrownBy(
              () ->
                  inAnotherThread(
                      () -> {
                        lock.acquire(System.nanoTime() - StoreLock.TIMEOUT_NANOS);
                        return null;
                      }))
          .isInstanceOf(LockedException.class)
          .hasMessageContaining("process " + ProcessHandle.current().pid());
      lock.release();
    }
  }

  /** The process id in the file can belong to a process that acquired the lock meanwhile. */
  @Test
  void alternatingHolders_causeNoTimeout() throws Exception {
    try (StoreLock holder = open();
        FileChannel page = FileChannel.open(file(), StandardOpenOption.WRITE);
        URLClassLoader apart = classesApart();
        AutoCloseable waiter = openIn(apart)) {
      holder.acquire();
      FutureTask<Object> waiting =
          new FutureTask<>(
              () -> {
                long since = System.nanoTime() - StoreLock.TIMEOUT_NANOS + StoreLock.STOPPED_NANOS;
                waiter.getClass().getMethod("acquire", long.class).invoke(waiter, since);
                return waiter.getClass().getMethod("release").invoke(waiter);
              });
      new Thread(waiting, "waiting").start();
      long end = System.nanoTime() + 2 * StoreLock.STOPPED_NANOS;
      for (int other = 1; System.nanoTime() - end < 0; other++) {
        page.write(pid(other), 0);
        LockSupport.parkNanos(StoreLock.STOPPED_NANOS / 20);
      }
      holder.release();
      waiting.get(1, TimeUnit.MINUTES);
      assertFree();
    }
  }

  /** A busy machine may not run a process for seconds. */
  @Test
  void slowHolder_causesNoTimeout() throws Exception {
    long held = 2 * StoreLock.STOPPED_NANOS;
    try (StoreLock lock = open()) {
      Process slow = start(Greedy.class, file(), held);
      try {
        assertThat(slow.getInputStream().read()).as("output of the other process").isPositive();
        List<FutureTask<Boolean>> waiting = new ArrayList<>();
        for (int i = 0; i < 3; i++) {
          waiting.add(start(() -> takeInTime(lock)));
        }
        for (FutureTask<Boolean> each : waiting) {
          assertThat(each.get(1, TimeUnit.MINUTES)).isTrue();
        }
      } finally {
        slow.destroyForcibly().waitFor();
      }
    }
  }

  private static boolean takeInTime(StoreLock lock) {
    lock.acquire();
    lock.release();
    return true;
  }

  @Test
  void stoppedHolder_isReportedToAllThreads() throws Exception {
    assumeTrue(Files.isReadable(Path.of("/proc/locks")), "the system does not tell here");
    try (StoreLock lock = open()) {
      Process stopped = start(Greedy.class, file(), TimeUnit.HOURS.toNanos(1));
      try {
        assertThat(stopped.getInputStream().read()).as("output of the other process").isPositive();
        Process kill = new ProcessBuilder("kill", "-STOP", "" + stopped.pid()).start();
        assertThat(kill.waitFor()).isZero();
        long begun = System.nanoTime();
        List<FutureTask<Boolean>> waiting = new ArrayList<>();
        for (int i = 0; i < 3; i++) {
          waiting.add(start(() -> takeInTime(lock)));
        }
        for (FutureTask<Boolean> each : waiting) {
          assertThatThrownBy(() -> each.get(1, TimeUnit.MINUTES))
              .hasCauseInstanceOf(LockedException.class)
              .hasMessageContaining("is held by process " + stopped.pid() + ", which is stopped");
        }
        assertThat(System.nanoTime() - begun)
            .isBetween(StoreLock.STOPPED_NANOS, StoreLock.TIMEOUT_NANOS / 2);
      } finally {
        stopped.destroyForcibly().waitFor();
      }
    }
  }

  /** A process that reacquires the lock at once would hardly leave it free. */
  @Test
  void greedyProcess_leavesLockToOthers() throws Exception {
    try (StoreLock lock = open()) {
      Process greedy = start(Greedy.class, file(), HELD_NANOS);
      try {
        assertThat(greedy.getInputStream().read()).as("output of the other process").isPositive();
        inAnotherThread( // times out eventually
            () -> {
              for (int i = 0; i < 5; i++) {
                lock.acquire();
                lock.release();
              }
              return null;
            });
        assertThat(greedy.isAlive()).isTrue();
      } finally {
        greedy.destroyForcibly().waitFor();
      }
    }
  }

  /** Holds a lock nearly all the time, and prints a line after each period. */
  static final class Greedy {

    private Greedy() {}

    public static void main(String[] args) {
      StoreLock lock = StoreLock.open(Path.of(args[0]));
      while (true) {
        lock.acquire();
        System.out.print("+");
        System.out.flush();
        LockSupport.parkNanos(Long.parseLong(args[1]));
        lock.release();
      }
    }
  }

  /** Switching between processes is expensive, so it must not happen with each append. */
  @Test
  void busyProcesses_alternateInLongTurns() throws Exception {
    try (StoreLock lock = open()) {
      Process other = start(Restless.class, file(), 0);
      try {
        assertThat(other.getInputStream().read()).as("output of the other process").isPositive();
        inAnotherThread(() -> Restless.take(lock, 1)); // warm-up
        Restless.Count count = inAnotherThread(() -> Restless.take(lock, 1));
        assertThat(count.turns).as("turns of this process").isGreaterThan(1);
        assertThat(count.taken / count.turns).as("acquisitions per turn").isGreaterThan(100);
      } finally {
        other.destroyForcibly().waitFor();
      }
    }
  }

  /** Acquires and releases a lock with hardly a pause. */
  static final class Restless {

    private static final long BETWEEN_NANOS = 4_000;
    private static final long COUNTED_NANOS = TimeUnit.SECONDS.toNanos(1);

    private Restless() {}

    /** The number of acquisitions by a process, and the number of its turns. */
    record Count(int taken, int turns) {}

    public static void main(String[] args) {
      StoreLock lock = StoreLock.open(Path.of(args[0]));
      take(lock, 2);
      System.out.print("+");
      System.out.flush();
      while (true) {
        take(lock, 2);
      }
    }

    /** Each process stores its number with the lock, which identifies the last holder. */
    static Count take(StoreLock lock, long own) {
      int taken = 0;
      int turns = 0;
      long end = System.nanoTime() + COUNTED_NANOS;
      while (System.nanoTime() - end < 0) {
        lock.acquire();
        taken++;
        turns += lock.mark() == own ? 0 : 1;
        lock.mark(own);
        lock.release();
        long until = System.nanoTime() + BETWEEN_NANOS;
        while (System.nanoTime() - until < 0) {
          Thread.onSpinWait();
        }
      }
      return new Count(taken, turns);
    }
  }

  private static ByteBuffer pid(int number) {
    return ByteBuffer.wrap(String.format("%-19d%n", number).getBytes(US_ASCII));
  }

  @Test
  void holderWithoutPidInFile_isFoundBySystem() throws Exception {
    assumeTrue(Files.isReadable(Path.of("/proc/locks")), "the system does not tell here");
    try (StoreLock lock = open()) {
      lock.acquire();
      leavePidOfAHolderBefore();
      assertThatThrownBy(
              () ->
                  inAnotherThread(
                      () -> {
                        lock.acquire(System.nanoTime() - StoreLock.TIMEOUT_NANOS);
                        return null;
                      }))
          .hasMessageContaining("process " + ProcessHandle.current().pid() + ",");
      lock.release();
    }
  }

  /** Writes the file in another process, because closing the file here would release the lock. */
  private void leavePidOfAHolderBefore() throws Exception {
    String command = "printf '424242             \\n' 1<>" + file();
    assertThat(new ProcessBuilder("sh", "-c", command).start().waitFor()).isZero();
  }

  @Test
  void interruptedThread_acquiresLock() throws Exception {
    try (StoreLock lock = open()) {
      boolean interrupted =
          inAnotherThread(
              () -> {
                Thread.currentThread().interrupt();
                lock.acquire();
                lock.release();
                return Thread.interrupted();
              });
      assertThat(interrupted).isTrue();
      assertFree();
    }
  }

  /** An interrupt during the opening of the file closes the file. */
  @Test
  void interruptedThread_opensLock() throws Exception {
    for (int i = 0; i < 100; i++) {
      Path file = directory.resolve("lock" + i);
      FutureTask<Void> opening =
          new FutureTask<>(
              () -> {
                try (StoreLock lock = StoreLock.open(file)) {
                  lock.acquire();
                  lock.release();
                }
                return null;
              });
      Thread thread = new Thread(opening);
      thread.start();
      while (thread.isAlive()) {
        thread.interrupt();
        Thread.onSpinWait();
      }
      opening.get();
    }
  }

  @Test
  void uncreatableLockFile_isReported() {
    Path nowhere = directory.resolve("missing/lock");
    assertThatThrownBy(() -> StoreLock.open(nowhere))
        .isInstanceOfSatisfying(
            RalphException.class, e -> assertThat(e.code()).isEqualTo(RalphException.Code.IO))
        .hasMessageContaining(nowhere.toString());
  }

  private Path file() {
    return directory.resolve("lock");
  }

  private StoreLock open() {
    return StoreLock.open(file());
  }

  private void assertHeld() throws Exception {
    assertThat(inAnotherThread(() -> takeAndRelease(open()))).as("acquired by a thread").isFalse();
    assertThat(Prober.getsTheLock(file())).as("acquired by another process").isFalse();
  }

  private void assertFree() throws Exception {
    assertThat(inAnotherThread(() -> takeAndRelease(open()))).as("acquired by a thread").isTrue();
    assertThat(Prober.getsTheLock(file())).as("acquired by another process").isTrue();
  }

  private static boolean takeAndRelease(StoreLock lock) {
    boolean taken = lock.tryAcquire();
    if (taken) {
      lock.release();
    }
    return taken;
  }

  private static <T> T inAnotherThread(Callable<T> work) throws Exception {
    try {
      return start(work).get(1, TimeUnit.MINUTES);
    } catch (ExecutionException e) {
      throw e.getCause() instanceof Exception cause ? cause : e;
    }
  }

  private static <T> FutureTask<T> start(Callable<T> work) {
    FutureTask<T> task = new FutureTask<>(work);
    new Thread(task, "other").start();
    return task;
  }

  private static URLClassLoader classesApart() throws URISyntaxException {
    List<URL> classes = new ArrayList<>();
    for (Class<?> each : List.of(StoreLock.class, RalphException.class)) {
      classes.add(each.getProtectionDomain().getCodeSource().getLocation());
    }
    return new URLClassLoader(classes.toArray(URL[]::new), ClassLoader.getPlatformClassLoader());
  }

  private AutoCloseable openIn(ClassLoader loader) throws ReflectiveOperationException {
    Class<?> apart = loader.loadClass(StoreLock.class.getName());
    assertThat(apart).isNotSameAs(StoreLock.class);
    return (AutoCloseable) apart.getMethod("open", Path.class).invoke(null, file());
  }

  private static boolean tryAcquire(AutoCloseable lock) throws ReflectiveOperationException {
    return (boolean) lock.getClass().getMethod("tryAcquire").invoke(lock);
  }

  private static Process start(Class<?> main, Path file, long heldNanos) throws IOException {
    return new ProcessBuilder(
            Path.of(System.getProperty("java.home"), "bin", "java").toString(),
            "-XX:TieredStopAtLevel=1",
            "-XX:+UseSerialGC",
            "-cp",
            System.getProperty("java.class.path"),
            main.getName(),
            file.toString(),
            Long.toString(heldNanos))
        .redirectError(ProcessBuilder.Redirect.INHERIT)
        .start();
  }

  /** A process that prints whether it acquires a lock. */
  static final class Prober {

    private Prober() {}

    static boolean getsTheLock(Path file) throws IOException, InterruptedException {
      Process process = start(Prober.class, file, 0);
      try {
        String said = new String(process.getInputStream().readAllBytes(), US_ASCII).trim();
        assertThat(said).as("whole output of the other process").isIn("true", "false");
        return said.equals("true");
      } finally {
        process.destroyForcibly().waitFor();
      }
    }

    public static void main(String[] args) {
      try (StoreLock lock = StoreLock.open(Path.of(args[0]))) {
        System.out.println(takeAndRelease(lock));
      }
    }
  }
}
