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
 * A process that was started here, and everything that it started in turn. It ends as a whole: when
 * the process itself ends, by itself or because it is told to, whatever is left of its descendants
 * is ended too.
 *
 * <pre>{@code
 * try (ManagedProcess process = ManagedProcess.start(spec)) {
 *   ProcessExit exit = process.awaitOrTerminate(Duration.ofMinutes(30), Duration.ofSeconds(5));
 * }
 * }</pre>
 *
 * <p>Descendants are known by three ways: the tree below the process, looked at while it runs
 * (first every 50 ms, then more and more seldom, down to every 2 s) and before the first signal; a
 * mark of its own in the environment (see {@link ProcessMark}); and descent from any of those. What
 * none finds: a process that scrubbed or overwrote its environment <em>and</em> lost its parent
 * before anyone looked, and on systems other than Linux any that lost its parent between two looks.
 * A process of another user is found by descent, but can't be ended.
 *
 * <p>Every method may be called from any thread but that of an output consumer. The threads of a
 * process are daemons named {@code ralph-process-PID-…}; none is left when it has ended, and {@link
 * #close} returned. (The JDK's own {@code process reaper} threads stay with the JDK.)
 */
public final class ManagedProcess implements AutoCloseable {

  /** What descendants that outlive the process get, after SIGTERM, before they are killed. */
  private static final Duration LEFTOVER_GRACE = Duration.ofMillis(500);

  private static final Duration CLOSE_GRACE = Duration.ofMillis(500);
  private static final Duration FIRST_LOOK = Duration.ofMillis(50);
  private static final Duration LONGEST_LOOK = Duration.ofSeconds(2);
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
      close(process.getOutputStream()); // whatever it reads comes from a file
    }
    drain(process.getInputStream(), spec.onStdout());
    drain(process.getErrorStream(), spec.onStderr());
    watcher = thread("watcher", this::watch);
    outputReader = thread("output", output);
  }

  /**
   * Starts a process.
   *
   * @throws dev.ralph.log.RalphException with code INVALID if it can't be started: the program is
   *     not found or not executable, the working directory is missing, the arguments are too long
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

  /** The process id. */
  public long pid() {
    return handle.pid();
  }

  /** Whether the process or anything known to descend from it is still there, or output is left. */
  public boolean isRunning() {
    return watcher.isAlive();
  }

  /** Returns the processes that descend from this one at present and are alive. */
  public Set<ProcessHandle> descendants() {
    return handle.descendants().filter(ProcessHandle::isAlive).collect(Collectors.toSet());
  }

  /** The mark that this process and its descendants carry, and no others. */
  public ProcessMark mark() {
    return mark;
  }

  /**
   * The stdin of a process that {@linkplain ProcessSpec.Builder#talks talks}, buffered. Writing to
   * it may wait for as long as the process does not read, and fails once the process has ended.
   */
  public OutputStream stdin() {
    return process.getOutputStream();
  }

  /**
   * Waits until the process has ended, what it left behind has been ended, and its output has been
   * delivered; or until time is out, which ends nothing.
   *
   * @param timeout how long; zero or less only looks
   * @return how it ended, or empty when time is out
   * @throws InterruptedException if this thread is interrupted; the process goes on
   * @throws IllegalStateException in an output consumer of this process
   */
  public Optional<ProcessExit> await(Duration timeout) throws InterruptedException {
    refuseConsumer();
    TimeUnit.NANOSECONDS.timedJoin(watcher, Deadline.after(timeout).remainingNanos());
    return watcher.isAlive() ? Optional.empty() : Optional.ofNullable(exit);
  }

  /**
   * As {@link #await}, but ends the process, as {@link #terminate} does, when time is out: the
   * reason then is {@link ProcessExit.Reason#TIMED_OUT}.
   *
   * @throws InterruptedException if this thread is interrupted while it waits for the process to
   *     end by itself; the process goes on until it is closed
   * @throws IllegalStateException in an output consumer of this process
   */
  public ProcessExit awaitOrTerminate(Duration timeout, Duration grace)
      throws InterruptedException {
    Optional<ProcessExit> ended = await(timeout);
    return ended.isPresent() ? ended.get() : end(ProcessExit.Reason.TIMED_OUT, grace);
  }

  /**
   * Ends the process and its descendants, and waits until it is done: all are asked (SIGTERM,
   * parents first), killed when the grace is over, and looked for again until none is found, for at
   * most 5 seconds. Of several calls at once, the shortest grace counts. After the end it changes
   * nothing.
   *
   * <p>An interrupt does not cut this short; the thread's interrupt status is kept.
   *
   * @param grace how long the processes may take to end by themselves; zero or less kills at once
   * @return how the process ended
   * @throws IllegalStateException in an output consumer of this process
   */
  public ProcessExit terminate(Duration grace) {
    return end(ProcessExit.Reason.TERMINATED, grace);
  }

  /**
   * Ends the process as {@link #terminate} with half a second of grace does. Afterwards no process
   * that can be found, no thread and no stream is left. (One exception: a consumer that does not
   * return keeps its thread.)
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

  /** Returns the request to end; only once there is one. */
  private EndRequest requested() {
    return Objects.requireNonNull(endRequest.get(), "nobody asked for the end");
  }

  private void refuseConsumer() {
    if (Thread.currentThread() == outputReader) {
      throw new IllegalStateException(
          "an output consumer can't wait for its own process: do it in another thread");
    }
  }

  /** The life of the process, in a thread of its own. An interrupt means: look for a request. */
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
   * Says whether the virtual machine has noticed the end. It does so by a thread of its own, which
   * on a busy machine comes later than what looks at the system's processes.
   */
  private boolean isNoticed() {
    Deadline deadline = Deadline.after(NOTICE_LIMIT);
    while (true) {
      try {
        return process.waitFor(deadline.remainingNanos(), TimeUnit.NANOSECONDS);
      } catch (InterruptedException alreadyEnding) {
        // A request to end; it is being done.
      }
    }
  }

  private void awaitExitOrRequest() {
    Duration look = FIRST_LOOK;
    while (endRequest.get() == null) {
      try {
        if (process.waitFor(look.toNanos(), TimeUnit.NANOSECONDS)) {
          return;
        }
        tree.track(handle);
        look = look.compareTo(LONGEST_LOOK) < 0 ? look.multipliedBy(2) : LONGEST_LOOK;
      } catch (InterruptedException lookForRequest) {
        // The loop's condition does.
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
      builder.redirectError(Redirect.DISCARD); // of no effect where it is merged
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
        // A request to end; it is being done.
      }
    }
    return !thread.isAlive();
  }

  private static void close(Closeable stream) {
    try {
      stream.close();
    } catch (IOException nothingToLose) {
      // All that anyone wanted of the stream has been read, or there is nothing to write.
    }
  }

  /** Who wants the end first says why; who is in the greatest hurry says when. */
  private record EndRequest(ProcessExit.Reason reason, Deadline killAt) {

    EndRequest and(EndRequest later) {
      return new EndRequest(reason, Deadline.earlier(killAt, later.killAt));
    }
  }
}
