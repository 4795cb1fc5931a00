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
 * What pages show of something in the log, kept up to date by one thread, and the same for all who
 * listen: however many they are, the log is read and each part is made once. One who begins to
 * listen, or comes back, is sent all parts as they are, and of what only grows what they lack; from
 * then on they are sent what changes.
 *
 * <p>Safe for use by many threads.
 */
final class Feed implements AutoCloseable {

  private static final System.Logger LOG = System.getLogger(Feed.class.getPackageName());

  /** So many updates a second at most, however much is appended. */
  private static final Duration BETWEEN_UPDATES = Duration.ofMillis(20);

  /** Is added for each who looks, because what is sent to many takes the processor from a loop. */
  private static final Duration FOR_EACH = Duration.ofMillis(2);

  /** How long frames are gathered that come one right after the other. */
  private static final Duration LONGEST_GATHERING = Duration.ofMillis(50);

  /** How long a store that can't be read is left alone. */
  private static final Duration BETWEEN_TRIES = Duration.ofSeconds(1);

  /** Most characters of pieces that are kept for new listeners, or sent in one update. */
  private static final int MOST_KEPT = 256 * 1024;

  /** Somebody who looks. */
  interface Listener {

    /**
     * Takes an update. Called with a lock held: it must not wait.
     *
     * @param id of the newest frame that it shows, or null where there is none
     * @param json one object
     * @return false if there is nobody any more
     */
    boolean take(@Nullable String id, String json);
  }

  private final FrameLog log;
  private final FeedSource source;
  private final Thread thread;

  /** Never held while the log is read. */
  private final ReentrantLock lock = new ReentrantLock();

  // Guarded by the lock:
  private final List<Listener> listeners = new ArrayList<>();

  /** Those who came before anything was read, and the id that each had last, or an empty one. */
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
   * Begins to read.
   *
   * @param name of the thread, for people
   */
  Feed(String name, FrameLog log, FeedSource source) {
    this.log = log;
    this.source = source;
    this.thread = new Thread(this::run, "ralph-page-" + name);
    thread.setDaemon(true);
    thread.start();
  }

  // ---- for those who listen

  /**
   * Begins to send updates; the first one has everything.
   *
   * @param lastId the id that the last update bore before the connection was lost, or null
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

  /** Only under the lock. */
  private void sendAll(Listener listener, String lastId) {
    List<FeedSource.Piece> lacking = piecesAfter(lastId);
    listener.take(
        id(), lacking == null ? update(parts, kept, true) : update(parts, lacking, false));
  }

  /** Sends no more. Returns whether nobody is left. */
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

  /** Returns the pieces behind that frame; null where it is not known which these are. */
  private @Nullable List<FeedSource.Piece> piecesAfter(String lastId) {
    // The ids of one log increase. Before the first piece there may have been others, and an id
    // behind the newest frame is of another log.
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
      json.append(",\"sign\":\"").append(Shown.time(sign)).append('"');
    }
    if (problem != null) {
      json.append(",\"problem\":").append(Shown.string(problem));
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
    thread.interrupt(); // where it waits for the store
  }

  // ---- the thread

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
        LOG.log(Level.ERROR, "a page is no longer kept up to date", fault);
        publishProblem("this page is no longer kept up to date; the server's log says why");
        return;
      }
    }
  }

  private void follow(Follower open) throws InterruptedException {
    long notBefore = System.nanoTime();
    publish(); // where the store could not be read, that is over
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
      // What takes long to make is made less often: others read the log as well.
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

  /** Only under the lock. */
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
