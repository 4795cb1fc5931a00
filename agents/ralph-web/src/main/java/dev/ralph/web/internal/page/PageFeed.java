package dev.ralph.web.internal.page;

import dev.ralph.log.Follower;
import dev.ralph.log.Frame;
import dev.ralph.log.FrameLog;
import dev.ralph.log.Position;
import dev.ralph.log.Query;
import dev.ralph.log.RalphException;
import java.lang.System.Logger.Level;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Collection;
import java.util.Deque;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.ReentrantLock;
import org.jspecify.annotations.Nullable;

/**
 * Page content from the log, updated by one thread and shared by all listeners: the log is read
 * once and each part is rendered once. A new or reconnected listener first receives all parts, and
 * the missing pieces of growing texts. Later it receives the changes.
 *
 * <p>Safe for use by many threads.
 */
final class PageFeed implements AutoCloseable {

  private static final System.Logger LOG = System.getLogger(PageFeed.class.getPackageName());

  /** The least time between updates, however many frames are appended. */
  private static final Duration BETWEEN_UPDATES = Duration.ofMillis(20);

  /**
   * The additional time per listener, because sending to many listeners takes CPU time from loops.
   */
  private static final Duration FOR_EACH = Duration.ofMillis(2);

  /** The longest time in which consecutive frames are collected for an update. */
  private static final Duration LONGEST_GATHERING = Duration.ofMillis(50);

  /** The time between attempts to read an unavailable store. */
  private static final Duration BETWEEN_TRIES = Duration.ofSeconds(1);

  /** The most characters of pieces kept for new listeners or sent in an update. */
  private static final int MOST_KEPT = 256 * 1024;

  /** Receives updates. */
  interface Listener {

    /**
     * Receives an update. Called with a lock held, so an implementation must not wait.
     *
     * @param id the id of the newest frame in the update, or null for none
     * @param json a JSON object
     * @return false if the listener is gone
     */
    boolean take(@Nullable String id, String json);
  }

  private final FrameLog log;
  private final FeedSource source;
  private final Thread thread;

  /** Guards the listeners and the state. The lock is never held while the log is read. */
  private final ReentrantLock lock = new ReentrantLock();

  // Guarded by the lock:
  private final List<Listener> listeners = new ArrayList<>();

  /** The listeners added before the first read, with the last id of each or an empty string. */
  private final Map<Listener, String> early = new LinkedHashMap<>();

  private final Map<String, String> parts = new LinkedHashMap<>();
  private final Deque<FeedSource.Piece> kept = new ArrayDeque<>();
  private int keptLength;
  private boolean isRead;
  private @Nullable Frame newest;
  private @Nullable Instant sign;
  private @Nullable String problem;
  private boolean isClosed;
  private @Nullable Follower follower;

  /**
   * Creates a feed and starts to read.
   *
   * @param name the name of the thread, for people
   */
  PageFeed(String name, FrameLog log, FeedSource source) {
    this.log = log;
    this.source = source;
    this.thread = new Thread(this::run, "ralph-page-" + name);
    thread.setDaemon(true);
    thread.start();
  }

  // ---- listeners

  /**
   * Adds a listener. Its first update contains all parts.
   *
   * @param lastId the id of the last update before the connection was lost, or null
   */
  void add(Listener listener, @Nullable String lastId) {
    lock.lock();
    try {
      if (isRead) {
        sendAll(listener, Objects.requireNonNullElse(lastId, ""));
        listeners.add(listener);
      } else {
        early.put(listener, Objects.requireNonNullElse(lastId, ""));
        if (problem != null) {
          listener.take(null, update(Map.of(), List.of(), false));
        }
      }
    } finally {
      lock.unlock();
    }
  }

  /** Requires the lock. */
  private void sendAll(Listener listener, String lastId) {
    List<FeedSource.Piece> lacking = piecesAfter(lastId);
    listener.take(
        id(), lacking == null ? update(parts, kept, true) : update(parts, lacking, false));
  }

  /** Removes a listener. Returns whether no listener is left. */
  boolean remove(Listener listener) {
    lock.lock();
    try {
      listeners.remove(listener);
      early.remove(listener);
      return listeners.isEmpty() && early.isEmpty();
    } finally {
      lock.unlock();
    }
  }

  /** Returns the pieces after a frame, or null if they are unknown. */
  private @Nullable List<FeedSource.Piece> piecesAfter(String lastId) {
    // The ids in a log increase. Pieces before the first kept piece may be missing, and an id after
    // the newest frame belongs to another log.
    Frame last = newest;
    if (kept.isEmpty()
        || last == null
        || kept.getFirst().id().compareTo(lastId) > 0
        || last.id().compareTo(lastId) < 0) {
      return null;
    }
    return kept.stream().filter(piece -> piece.id().compareTo(lastId) > 0).toList();
  }

  private String update(
      Map<String, String> changed, Collection<FeedSource.Piece> pieces, boolean anew) {
    StringBuilder json = new StringBuilder("{\"parts\":{");
    String separator = "";
    for (Map.Entry<String, String> part : changed.entrySet()) {
      json.append(separator).append('"').append(part.getKey()).append("\":");
      json.append(part.getValue());
      separator = ",";
    }
    json.append("},\"said\":[");
    separator = "";
    for (FeedSource.Piece piece : pieces) {
      json.append(separator).append(piece.json());
      separator = ",";
    }
    json.append(anew ? "],\"anew\":true" : "]");
    if (sign != null) {
      json.append(",\"sign\":\"").append(PageJson.time(sign)).append('"');
    }
    if (problem != null) {
      json.append(",\"problem\":").append(PageJson.string(problem));
    }
    return json.append('}').toString();
  }

  private @Nullable String id() {
    return newest == null ? null : newest.id();
  }

  @Override
  public void close() {
    lock.lock();
    try {
      isClosed = true;
      if (follower != null) {
        follower.close();
      }
    } finally {
      lock.unlock();
    }
    thread.interrupt(); // ends a wait for the store
  }

  // ---- thread

  private void run() {
    boolean hasBegun = false;
    Position read = Position.START;
    while (!isClosed()) {
      try {
        if (!hasBegun) {
          Frame last = log.last(source.filter()).orElse(null);
          source.begin(last, this::wake);
          note(last);
          read = last == null ? Position.START : last.position();
          hasBegun = true;
          publish();
        }
        try (Follower open = log.follow(Query.of(source.filter()).after(read))) {
          if (!follows(open)) {
            return;
          }
          try {
            follow(open);
          } finally {
            read = open.position();
          }
        }
      } catch (InterruptedException closed) {
        return;
      } catch (RalphException e) {
        if (isClosed() || !waitOut(e)) {
          return;
        }
      } catch (RuntimeException | Error fault) {
        LOG.log(Level.ERROR, "updates of a page have stopped", fault);
        publishProblem("updates of this page have stopped; see the server's log");
        return;
      }
    }
  }

  private void follow(Follower open) throws InterruptedException {
    long notBefore = System.nanoTime();
    publish(); // clears the problem of an unavailable store
    while (!isClosed()) {
      Frame frame = open.poll(source.staysTrueFor());
      long atTheLatest = System.nanoTime() + LONGEST_GATHERING.toNanos();
      while (frame != null) {
        source.frame(frame);
        note(frame);
        long now = System.nanoTime();
        boolean isEnough = now - atTheLatest > 0 && now - notBefore > 0;
        frame = isEnough ? null : open.poll(Duration.ofNanos(Math.max(0, notBefore - now)));
      }
      long before = System.nanoTime();
      publish();
      long after = System.nanoTime();
      // Slow updates are made less often, because other readers need the log as well.
      notBefore = after + Math.max(betweenUpdates().toNanos(), after - before);
    }
  }

  private Duration betweenUpdates() {
    lock.lock();
    try {
      return BETWEEN_UPDATES.plus(FOR_EACH.multipliedBy(listeners.size()));
    } finally {
      lock.unlock();
    }
  }

  private void publish() {
    Map<String, String> now = source.changed();
    List<FeedSource.Piece> pieces = source.pieces();
    Instant lastSign = source.sign();
    lock.lock();
    try {
      isRead = true;
      sign = lastSign;
      Map<String, String> changed = new LinkedHashMap<>();
      now.forEach(
          (name, json) -> {
            if (!json.equals(parts.put(name, json))) {
              changed.put(name, json);
            }
          });
      boolean isNews = problem != null || !changed.isEmpty() || !pieces.isEmpty();
      problem = null;
      int length = 0;
      for (FeedSource.Piece piece : pieces) {
        kept.addLast(piece);
        length += piece.json().length();
      }
      keptLength += length;
      while (keptLength > MOST_KEPT && kept.size() > 1) {
        keptLength -= kept.removeFirst().json().length();
      }
      if (isNews) {
        send(update(changed, length > MOST_KEPT ? kept : pieces, false));
      }
      early.forEach(this::sendAll);
      listeners.addAll(early.keySet());
      early.clear();
    } finally {
      lock.unlock();
    }
  }

  private void publishProblem(String message) {
    lock.lock();
    try {
      problem = message;
      String json = update(Map.of(), List.of(), false);
      send(json);
      early.keySet().forEach(listener -> listener.take(null, json));
    } finally {
      lock.unlock();
    }
  }

  /** Requires the lock. */
  private void send(String json) {
    String id = id();
    listeners.removeIf(listener -> !listener.take(id, json));
  }

  private boolean waitOut(RalphException failure) {
    if (failure.code() == RalphException.Code.CLOSED) {
      return false;
    }
    publishProblem(String.valueOf(failure.getMessage()));
    try {
      TimeUnit.NANOSECONDS.sleep(BETWEEN_TRIES.toNanos());
      return true;
    } catch (InterruptedException closed) {
      return false;
    }
  }

  private void note(@Nullable Frame frame) {
    if (frame == null) {
      return;
    }
    lock.lock();
    try {
      newest = frame;
    } finally {
      lock.unlock();
    }
  }

  private void wake() {
    lock.lock();
    try {
      if (follower != null) {
        follower.wakeup();
      }
    } finally {
      lock.unlock();
    }
  }

  private boolean follows(Follower open) {
    lock.lock();
    try {
      follower = open;
      return !isClosed;
    } finally {
      lock.unlock();
    }
  }

  private boolean isClosed() {
    lock.lock();
    try {
      return isClosed;
    } finally {
      lock.unlock();
    }
  }
}
