package dev.ralph.core.internal.process;

import java.io.Closeable;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.lang.ProcessBuilder.Redirect;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.Consumer;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/**
 * A started process with all its descendants, which end together. When the process exits or is
 * terminated, its remaining descendants are ended too.
 *
 * <pre>{@code
 * try (ManagedProcess process = ManagedProcess.start(spec)) {
 *   ProcessExit exit = process.awaitOrTerminate(Duration.ofMinutes(30), Duration.ofSeconds(5));
 * }
 * }</pre>
 *
 * <p>Descendants are found in three ways. The first is a scan of the process tree while the process
 * runs, and before the first signal. The interval of the scans grows from 50 ms to 2 s. The second
 * is the unique mark in the environment (see {@link ProcessMark}). The third is descent from any
 * process found so far.
 *
 * <p>Two kinds of descendants are not found. The first is a process that cleared or overwrote its
 * environment <em>and</em> lost its parent between two scans. The second, outside Linux, is any
 * process orphaned between two scans. A process of another user is found by descent, but cannot be
 * ended.
 *
 * <p>All methods may be called from any thread except the thread of an output consumer. The threads
 * of a process are daemons named {@code ralph-process-PID-…}. None of them is left when the process
 * has ended and {@link #close} has returned. (The JDK keeps its own {@code process reaper}
 * threads.)
 */
public final class ManagedProcess implements AutoCloseable {

  /** The time between SIGTERM and SIGKILL for descendants that outlive the process. */
  private static final Duration LEFTOVER_GRACE = Duration.ofMillis(500);

  private static final Duration CLOSE_GRACE = Duration.ofMillis(500);
  private static final Duration FIRST_INTERVAL = Duration.ofMillis(50);
  private static final Duration MAX_INTERVAL = Duration.ofSeconds(2);
  private static final Duration OUTPUT_LIMIT = Duration.ofSeconds(10);
  private static final Duration NOTICE_LIMIT = Duration.ofSeconds(10);

  private final Process process;
  private final ProcessHandle handle;
  private final ProcessMark mark;
  private final boolean leavesNothing;
  private final long startNanos;
  private final ProcessTree tree = new ProcessTree();
  private final OutputDrain output = new OutputDrain();
  private final AtomicReference<EndRequest> endRequest = new AtomicReference<>();
  private final Thread watcher;
  private final Thread outputReader;
  private volatile @Nullable ProcessExit exit;

  private ManagedProcess(Process process, ProcessSpec spec, ProcessMark mark, long startNanos) {
    this.process = process;
    this.handle = process.toHandle();
    this.mark = mark;
    this.leavesNothing = spec.leavesNothing();
    this.startNanos = startNanos;
    tree.add(handle);
    if (!spec.talks()) {
      close(process.getOutputStream()); // any input is read from a file
    }
    drain(process.getInputStream(), spec.onStdout());
    drain(process.getErrorStream(), spec.onStderr());
    watcher = thread("watcher", this::watch);
    outputReader = thread("output", output);
  }

  /**
   * Starts a process.
   *
   * @throws dev.ralph.log.RalphException with code INVALID if the process can't be started. For
   *     example, the program is missing or not executable, the working directory is missing, or the
   *     arguments are too long
   */
  public static ManagedProcess start(ProcessSpec spec) {
    ProcessMark mark = ProcessMark.unique();
    ProcessBuilder builder = builder(spec, mark);
    long startNanos = System.nanoTime();
    Process process;
    try (InputFile input = InputFile.of(spec)) {
      Path file = input.path();
      if (file != null) {
        builder.redirectInput(file.toFile());
      }
      process = builder.start();
    } catch (IOException e) {
      throw StartFailure.explain(spec, e);
    }
    ManagedProcess managed = null;
    try {
      managed = new ManagedProcess(process, spec, mark, startNanos);
      managed.startThreads();
      return managed;
    } catch (Throwable noThread) {
      process.destroyForcibly();
      if (managed != null) {
        managed.output.abandon();
      }
      throw noThread;
    }
  }

  /** Returns the process id. */
  public long pid() {
    return handle.pid();
  }

  /** Returns whether the process or a known descendant runs, or output is still unread. */
  public boolean isRunning() {
    return watcher.isAlive();
  }

  /** Returns the present live descendants of the process. */
  public Set<ProcessHandle> descendants() {
    return handle.descendants().filter(ProcessHandle::isAlive).collect(Collectors.toSet());
  }

  /** Returns the unique mark of this process and its descendants. */
  public ProcessMark mark() {
    return mark;
  }

  /**
   * Returns the buffered standard input of a process that {@linkplain ProcessSpec.Builder#talks
   * talks}. A write may block while the process does not read, and fails after the process has
   * ended.
   */
  public OutputStream stdin() {
    return process.getOutputStream();
  }

  /**
   * Waits until the process and its descendants have ended and the output is delivered, or until
   * the timeout. A timeout ends no process.
   *
   * @param timeout the longest wait; zero or less returns at once
   * @return the exit, or empty after the timeout
   * @throws InterruptedException if this thread is interrupted; the process continues
   * @throws IllegalStateException in an output consumer of this process
   */
  public Optional<ProcessExit> await(Duration timeout) throws InterruptedException {
    refuseConsumer();
    TimeUnit.NANOSECONDS.timedJoin(watcher, Deadline.after(timeout).remainingNanos());
    return watcher.isAlive() ? Optional.empty() : Optional.ofNullable(exit);
  }

  /**
   * Waits like {@link #await}, but ends the process like {@link #terminate} after the timeout. The
   * reason of the exit then is {@link ProcessExit.Reason#TIMED_OUT}.
   *
   * @throws InterruptedException if this thread is interrupted before the timeout; the process
   *     continues until it is closed
   * @throws IllegalStateException in an output consumer of this process
   */
  public ProcessExit awaitOrTerminate(Duration timeout, Duration grace)
      throws InterruptedException {
    Optional<ProcessExit> ended = await(timeout);
    return ended.isPresent() ? ended.get() : end(ProcessExit.Reason.TIMED_OUT, grace);
  }

  /**
   * Ends the process and its descendants, and waits for their end. All processes receive SIGTERM,
   * parents first, and are killed after the grace. The search for descendants is repeated until
   * none is found, for at most 5 seconds. The shortest grace of concurrent calls applies. A call
   * after the end has no effect.
   *
   * <p>An interrupt does not shorten the wait; the interrupt status of the thread is kept.
   *
   * @param grace the time that the processes have to exit; zero or less kills at once
   * @return the exit of the process
   * @throws IllegalStateException in an output consumer of this process
   */
  public ProcessExit terminate(Duration grace) {
    return end(ProcessExit.Reason.TERMINATED, grace);
  }

  /**
   * Ends the process like {@link #terminate} with a grace of half a second. Afterwards no process
   * that can be found, no thread and no stream is left. The only exception is the thread of a
   * consumer that does not return.
   *
   * @throws IllegalStateException in an output consumer of this process
   */
  @Override
  public void close() {
    end(ProcessExit.Reason.TERMINATED, CLOSE_GRACE);
  }

  private ProcessExit end(ProcessExit.Reason reason, Duration grace) {
    refuseConsumer();
    request(new EndRequest(reason, Deadline.after(grace)));
    watcher.interrupt();
    ThreadEnd.await(watcher);
    return Objects.requireNonNull(exit);
  }

  private void request(EndRequest request) {
    endRequest.accumulateAndGet(
        request, (earlier, later) -> earlier == null ? later : earlier.and(later));
  }

  /** Returns the end request. Call the method only after a request. */
  private EndRequest requested() {
    return Objects.requireNonNull(endRequest.get(), "no end was requested");
  }

  private void refuseConsumer() {
    if (Thread.currentThread() == outputReader) {
      throw new IllegalStateException(
          "an output consumer can't wait for its own process; wait in a different thread");
    }
  }

  /**
   * Watches the process until its end, in a separate thread. An interrupt announces an end request.
   */
  private void watch() {
    ProcessExit.Reason reason = ProcessExit.Reason.EXITED;
    boolean outputComplete = false;
    long endNanos = 0;
    try {
      awaitExitOrRequest();
      endNanos = System.nanoTime();
      if (process.isAlive()) {
        reason = requested().reason();
      } else {
        request(new EndRequest(ProcessExit.Reason.EXITED, Deadline.after(LEFTOVER_GRACE)));
      }
      if (reason != ProcessExit.Reason.EXITED || !leavesNothing) {
        new TreeEnder(tree, mark, () -> requested().killAt()).run();
      }
      if (reason != ProcessExit.Reason.EXITED) {
        endNanos = System.nanoTime();
      }
      output.finish(outputReader);
      outputComplete = isOver(outputReader, OUTPUT_LIMIT);
    } finally {
      output.abandon();
      handle.destroyForcibly();
      close(process.getInputStream());
      close(process.getErrorStream());
      int code = isNoticed() ? process.exitValue() : -1;
      exit = new ProcessExit(code, reason, Duration.ofNanos(endNanos - startNanos), outputComplete);
    }
  }

  /**
   * Waits until the JVM has noticed the end of the process, and returns false after a time limit.
   * The JVM uses a thread for the purpose, which may be late on a busy machine.
   */
  private boolean isNoticed() {
    Deadline deadline = Deadline.after(NOTICE_LIMIT);
    while (true) {
      try {
        return process.waitFor(deadline.remainingNanos(), TimeUnit.NANOSECONDS);
      } catch (InterruptedException alreadyEnding) {
        // An end request, which is being executed.
      }
    }
  }

  private void awaitExitOrRequest() {
    Duration pause = FIRST_INTERVAL;
    while (endRequest.get() == null) {
      try {
        if (process.waitFor(pause.toNanos(), TimeUnit.NANOSECONDS)) {
          return;
        }
        tree.track(handle);
        pause = pause.compareTo(MAX_INTERVAL) < 0 ? pause.multipliedBy(2) : MAX_INTERVAL;
      } catch (InterruptedException lookForRequest) {
        // The condition of the loop checks for a request.
      }
    }
  }

  private void drain(InputStream in, @Nullable Consumer<String> consumer) {
    if (consumer != null) {
      output.add(in, consumer);
    }
  }

  private void startThreads() {
    if (!output.isEmpty()) {
      outputReader.start();
    }
    watcher.start();
  }

  private Thread thread(String role, Runnable work) {
    Thread thread = new Thread(work, "ralph-process-" + handle.pid() + "-" + role);
    thread.setDaemon(true);
    return thread;
  }

  private static ProcessBuilder builder(ProcessSpec spec, ProcessMark mark) {
    ProcessBuilder builder = spec.builder();
    if (spec.onStdout() == null) {
      builder.redirectOutput(Redirect.DISCARD);
    }
    if (spec.onStderr() == null) {
      builder.redirectError(Redirect.DISCARD); // no effect if stderr is merged
    }
    List<ProcessMark> marks = new ArrayList<>(spec.marks());
    marks.add(mark);
    Map<String, String> environment = builder.environment();
    environment.put(
        ProcessMark.VARIABLE, ProcessMark.append(environment.get(ProcessMark.VARIABLE), marks));
    return builder;
  }

  private static boolean isOver(Thread thread, Duration limit) {
    Deadline deadline = Deadline.after(limit);
    while (thread.isAlive() && !deadline.passed()) {
      try {
        TimeUnit.NANOSECONDS.timedJoin(thread, deadline.remainingNanos());
      } catch (InterruptedException alreadyEnding) {
        // An end request, which is being executed.
      }
    }
    return !thread.isAlive();
  }

  private static void close(Closeable stream) {
    try {
      stream.close();
    } catch (IOException nothingToLose) {
      // All needed output has been read, or there is no input to write.
    }
  }

  /**
   * A request to end the process. The first request determines the reason, the earliest deadline
   * the time.
   */
  private record EndRequest(ProcessExit.Reason reason, Deadline killAt) {

    EndRequest and(EndRequest later) {
      return new EndRequest(reason, Deadline.earlier(killAt, later.killAt));
    }
  }
}
