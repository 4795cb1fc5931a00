package dev.ralph.mcp;

import dev.ralph.internal.UnicodeText;
import dev.ralph.log.Meta;
import dev.ralph.log.RalphException;
import dev.ralph.mcp.ReplySender.Sender;
import dev.ralph.tool.AgentTools;
import java.lang.System.Logger.Level;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.FutureTask;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.SynchronousQueue;
import java.util.concurrent.ThreadPoolExecutor;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.Consumer;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;

/** Executes the tool calls of a client. The reading thread begins and cancels calls. */
final class ToolCalls {

  private static final int MOST_THREADS = 16;

  private final ServedTools tools;
  private final ReplySender answers;
  private final AtomicInteger threads = new AtomicInteger();

  /**
   * The threads of read-only calls. If all threads are busy, the reading thread executes the call
   * and reads no more.
   */
  private final ExecutorService workers = threads(0, MOST_THREADS, new SynchronousQueue<>());

  /** Executes calls that change state, in sequence. */
  private final ExecutorService changes = threads(1, 1, new LinkedBlockingQueue<>());

  /** The requests of the calls that the client waits for. */
  private final Map<FutureTask<?>, Sender> awaited = new ConcurrentHashMap<>();

  private CountDownLatch lastChange = new CountDownLatch(0);

  ToolCalls(ServedTools tools, ReplySender answers) {
    this.tools = tools;
    this.answers = answers;
  }

  private ExecutorService threads(int least, int most, BlockingQueue<Runnable> waiting) {
    return new ThreadPoolExecutor(
        least,
        most,
        10,
        TimeUnit.SECONDS,
        waiting,
        task -> {
          Thread thread = new Thread(task, "ralph-mcp-" + threads.incrementAndGet());
          thread.setDaemon(true);
          return thread;
        },
        new ThreadPoolExecutor.CallerRunsPolicy());
  }

  /**
   * Begins a call. A client sends the calls of one turn at once and expects this order. Calls that
   * change state run serially. Other calls wait for the earlier changes.
   */
  void begin(Sender sender, Meta params) {
    String tool = String.valueOf(params.string("name"));
    AgentTools.Call call = begin(tool, params.object("arguments"));
    Consumer<String> progress = progress(sender, params);
    boolean queued = tools.isQueued(tool);
    CountDownLatch before = lastChange;
    CountDownLatch ended = new CountDownLatch(1);
    AtomicReference<Meta> result = new AtomicReference<>();
    FutureTask<Void> work =
        new FutureTask<>(
            () -> {
              if (!queued) {
                before.await();
              }
              result.set(run(call, progress));
              return null;
            });
    awaited.put(work, sender);
    Runnable whole =
        () -> {
          try {
            work.run();
            answer(sender, call, work, result.get());
          } finally {
            ended.countDown();
          }
        };
    if (queued) {
      lastChange = ended;
    }
    (queued ? changes : workers).execute(whole);
  }

  /** Begins a call under the lock of replies. Therefore the call knows all earlier replies. */
  private AgentTools.Call begin(String tool, @Nullable Meta arguments) {
    answers.writing().lock();
    try {
      return tools.begin(tool, arguments);
    } catch (RuntimeException | Error e) {
      return new Failed(failure(e));
    } finally {
      answers.writing().unlock();
    }
  }

  /** Executes a call. An exception of the tool becomes an error result. */
  private static Meta run(AgentTools.Call call, Consumer<String> progress) {
    try {
      return content(call.run(progress));
    } catch (RuntimeException | Error e) {
      return content(failure(e));
    }
  }

  private static AgentTools.Result failure(Throwable e) {
    if (e instanceof RalphException) {
      return AgentTools.Result.error(String.valueOf(e.getMessage()));
    }
    log().log(Level.WARNING, "a tool failed", e);
    return AgentTools.Result.error("internal error: " + RalphException.quote(e.toString()));
  }

  private static Meta content(AgentTools.Result result) {
    String text = UnicodeText.of(result.text()); // a truncated text may end with half a character
    return Meta.of("content", List.of(Meta.of("type", "text").with("text", text)))
        .with("isError", result.isError());
  }

  /** A call rejected before the start. */
  private record Failed(AgentTools.Result result) implements AgentTools.Call {

    @Override
    public AgentTools.Result run(Consumer<String> progress) {
      return result;
    }

    @Override
    public void answered() {
      // The result contains no messages.
    }
  }

  /**
   * Replies to a finished call, unless the client has cancelled the call.
   *
   * @param result null if the call was cancelled or the connection closed before the call began
   */
  private void answer(
      Sender sender, AgentTools.Call call, FutureTask<?> work, @Nullable Meta result) {
    if (work.isCancelled()) {
      // A pending interrupt could close the stream that other replies of the batch use.
      boolean unused = Thread.interrupted();
    }
    answers.writing().lock();
    try {
      if (awaited.remove(work) == null || result == null) {
        answers.none(sender);
      } else {
        answers.result(sender, result, () -> answered(call));
      }
    } finally {
      answers.writing().unlock();
    }
  }

  private static void answered(AgentTools.Call call) {
    try {
      call.answered();
    } catch (RuntimeException | Error e) {
      log().log(Level.WARNING, "a tool failed after its answer was sent", e);
    }
  }

  /** Returns a consumer that sends progress to the client, if the client has requested progress. */
  private Consumer<String> progress(Sender sender, Meta params) {
    Meta meta = params.object("_meta");
    Object token = meta == null ? null : meta.value("progressToken");
    if (!(token instanceof String || token instanceof Long)) {
      return message -> {};
    }
    AtomicInteger count = new AtomicInteger();
    return message -> {
      Meta told =
          Meta.of("progressToken", token)
              .with("progress", count.incrementAndGet())
              .with("message", message);
      boolean unused = answers.notify(sender, "notifications/progress", told);
    };
  }

  /**
   * Cancels the calls of matching requests. Waits for a reply that is being written, because an
   * interrupt may close its stream.
   */
  void cancel(Predicate<Sender> request) {
    answers.writing().lock();
    try {
      awaited.forEach(
          (work, sender) -> {
            if (request.test(sender)) {
              awaited.remove(work);
              work.cancel(true);
            }
          });
    } finally {
      answers.writing().unlock();
    }
  }

  /**
   * Rejects new calls and waits for the running calls.
   *
   * @param grace the longest wait; later the calls are cancelled
   */
  void drain(Duration grace) {
    workers.shutdown();
    changes.shutdown();
    try {
      if (!haveEnded(grace)) {
        awaited.keySet().forEach(work -> work.cancel(true));
        // An interrupted call stops the started processes before returning.
        boolean unused = haveEnded(grace);
      }
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    } finally {
      workers.shutdownNow();
      changes.shutdownNow();
    }
  }

  private boolean haveEnded(Duration limit) throws InterruptedException {
    long end = System.nanoTime() + limit.toNanos();
    return workers.awaitTermination(limit.toNanos(), TimeUnit.NANOSECONDS)
        && changes.awaitTermination(end - System.nanoTime(), TimeUnit.NANOSECONDS);
  }

  private static System.Logger log() {
    return System.getLogger(ToolCalls.class.getName());
  }
}
