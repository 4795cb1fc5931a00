package dev.ralph.spi;

import dev.ralph.log.Damage;
import dev.ralph.log.Follower;
import dev.ralph.log.Frame;
import dev.ralph.log.FrameCursor;
import dev.ralph.log.Position;
import dev.ralph.log.Query;
import dev.ralph.log.RalphException;
import dev.ralph.log.TopicFilter;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.locks.Condition;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/**
 * The followers of one open store. They share one cursor at the end of the log: what is appended is
 * read once, however many follow, and only those who want it are woken. A follower that is far
 * behind, or that meets damage, reads with a cursor of its own until it has caught up.
 *
 * <p>A store makes one of these, calls {@link #appended()} after each append, and closes it. Safe
 * for use by many threads.
 */
public final class Followers implements AutoCloseable {

  /** So that those who wait for other frames of the same reading don't wait long. */
  private static final int READ_AT_ONCE = 256;

  /**
   * If more frames are new for each follower, each one reads by itself: it passes over what it does
   * not want faster than all of it can be read.
   */
  private static final int WORTH_SHARING = 1_024;

  /** A follower that has more frames to take reads them itself, so that memory stays bounded. */
  private static final int MOST_KEPT = 4_096;

  private static final long UNKNOWN = -1;

  private final Function<Query, FrameCursor> read;
  private final Runnable onWaiting;
  private final AtomicBoolean isWatched = new AtomicBoolean();

  /** Held while the end of the log is read. Never taken by one who holds the other lock. */
  private final ReentrantLock reading = new ReentrantLock();

  /** Reads what comes at the end of the log. Guarded by {@link #reading}. */
  private @Nullable FrameCursor tail;

  /** Guards all that follows, and what followers say that it does. Never held while reading. */
  private final ReentrantLock lock = new ReentrantLock();

  private final Set<Shared> open = new LinkedHashSet<>();

  /** Those who get what the tail reads. */
  private final Set<Shared> sharing = new LinkedHashSet<>();

  /** The same, by each pattern of their filters. */
  private final Map<String, Set<Shared>> byPattern = new HashMap<>();

  /** Those who are in a poll that waits, the one that waits longest first. */
  private final Set<Shared> waiting = new LinkedHashSet<>();

  /** How many these are, to be asked without the lock. */
  private volatile int waiters;

  /** How many of them have a cursor of their own, and so have to look by themselves. */
  private int waitingAlone;

  /** Who has to look next, of those who wait. */
  private @Nullable Shared scout;

  /** Up to where the tail was read, while anybody shares it. */
  private Position end = Position.START;

  /** Whether the tail has to begin at {@link #end}. */
  private boolean isTailStale;

  /** Where the tail met damage: it is not to begin there again. */
  private @Nullable Position damagedAt;

  /** The newest frame that anybody wanted, as the last link of a chain. */
  private @Nullable Link newest;

  /** How many links there were so far, and how many when it was last checked who holds old ones. */
  private long links;

  private long linksChecked;

  /** How many frames in a row the tail was behind the end of the log. */
  private long behind;

  /** How many times the log may have grown. Counted without the lock. */
  private final AtomicLong news = new AtomicLong();

  /** What that number was before the log was last read to its end. */
  private long looked = UNKNOWN;

  private boolean isLooking;

  /** How many times reading was begun, and which of these last came to the end of the log. */
  private long begun;

  private long ended;
  private boolean closed;

  /**
   * A frame that somebody wanted, with those after it. Those who have yet to take it refer to it,
   * so that frames that all have taken are garbage.
   */
  private static final class Link {
    final Frame frame;
    final long number;
    @Nullable Link next;

    Link(Frame frame, long number) {
      this.frame = frame;
      this.number = number;
    }
  }

  /**
   * Makes the followers of a store that no other process appends to.
   *
   * @param read the store's {@link FrameStore#read}; called from many threads
   */
  public Followers(Function<Query, FrameCursor> read) {
    this(read, () -> {});
  }

  /**
   * Makes the followers of a store.
   *
   * @param read the store's {@link FrameStore#read}; called from many threads
   * @param onWaiting run once, before a follower waits for the first time
   */
  public Followers(Function<Query, FrameCursor> read, Runnable onWaiting) {
    this.read = read;
    this.onWaiting = onWaiting;
  }

  /**
   * Follows the log from the query's {@link Query#after()} on, as {@link FrameStore#follow} does.
   *
   * @throws RalphException CLOSED after {@link #close()}
   */
  public Follower follow(Query query) {
    lock.lock();
    try {
      if (closed) {
        throw RalphException.closed("the store");
      }
      Shared follower = new Shared(query);
      open.add(follower);
      if (sharing.isEmpty() || !end.isAfter(query.after())) {
        follower.join(query.after());
      }
      return follower;
    } finally {
      lock.unlock();
    }
  }

  /**
   * Says that something was appended, or may have been, by whatever process: one of those who wait
   * will read it, and wake the others who want it. Costs next to nothing while nobody waits.
   */
  public void appended() {
    news.incrementAndGet();
    if (waiters > 0) {
      lock.lock();
      try {
        signalThoseAlone();
        appointScout();
      } finally {
        lock.unlock();
      }
    }
  }

  private void signalThoseAlone() {
    if (waitingAlone > 0) {
      waiting.forEach(Shared::signalIfAlone);
    }
  }

  /**
   * Wakes one of those who wait to look, if there is news and nobody is about to look. The one who
   * looked calls this afterwards.
   */
  private void appointScout() {
    if (scout != null || isLooking || looked == news.get()) {
      return;
    }
    for (Shared follower : waiting) {
      if (follower.isSharing()) {
        scout = follower;
        follower.changed.signal();
        return;
      }
    }
  }

  /** Lets go of the lock for as long as that runs. */
  private void unlocked(Runnable action) {
    lock.unlock();
    try {
      action.run();
    } finally {
      lock.lock();
    }
  }

  // ---- reading the end of the log

  /**
   * Reads on at the end of the log, unless somebody else has come to it meanwhile. To be called
   * with the lock, which is let go while it reads.
   *
   * @param since how many times reading had been begun when the caller began to want it
   */
  private void look(long since) {
    if (!reading.tryLock()) {
      unlocked(reading::lock);
    }
    try {
      if (sharing.isEmpty() || ended > since) {
        return;
      }
      begun++;
      scout = null;
      long heard = news.get();
      boolean isStale = isTailStale;
      isTailStale = false;
      Position from = end;
      List<Frame> frames = new ArrayList<>();
      boolean isShared = false;
      isLooking = true;
      lock.unlock();
      try {
        if (isStale) {
          closeTail();
        }
        FrameCursor cursor = tail == null ? openTail(from) : tail;
        boolean more = readInto(frames, cursor);
        boolean isDamaged = !cursor.damage().isEmpty();
        Position upTo = cursor.position();
        lock.lock();
        isShared = share(frames, upTo, isDamaged, heard, more);
      } finally {
        if (!lock.isHeldByCurrentThread()) {
          lock.lock();
        }
        isLooking = false;
        if (!isShared) {
          List.copyOf(sharing).forEach(Shared::leave);
          unlocked(this::closeTail);
        }
      }
    } finally {
      reading.unlock();
    }
  }

  private FrameCursor openTail(Position from) {
    FrameCursor cursor = read.apply(Query.of(TopicFilter.all()).after(from));
    tail = cursor;
    return cursor;
  }

  private void closeTail() {
    FrameCursor cursor = tail;
    tail = null;
    if (cursor != null) {
      cursor.close();
    }
  }

  /** Reads some frames; returns whether there may be more. */
  private static boolean readInto(List<Frame> frames, FrameCursor cursor) {
    while (frames.size() < READ_AT_ONCE) {
      Frame frame = cursor.next();
      if (frame == null) {
        return false;
      }
      frames.add(frame);
    }
    return true;
  }

  /**
   * Gives the frames to those who want them.
   *
   * @return false if everybody has to read by himself
   */
  private boolean share(
      List<Frame> frames, Position upTo, boolean isDamaged, long heard, boolean more) {
    if (isTailStale) {
      return true; // all have left, and others share the tail by now, from elsewhere on
    }
    behind = more ? behind + frames.size() : 0;
    if (isDamaged) {
      damagedAt = end;
      return false;
    }
    if (behind > (long) WORTH_SHARING * sharing.size()) {
      return false;
    }
    for (Frame frame : frames) {
      hand(frame);
    }
    end = upTo;
    if (links - linksChecked >= MOST_KEPT) {
      linksChecked = links;
      List.copyOf(sharing).forEach(Shared::leaveIfFarBehind);
    }
    ended = more ? ended : begun;
    looked = more ? UNKNOWN : heard;
    return true;
  }

  /** Adds a frame to the chain if anybody wants it. */
  private void hand(Frame frame) {
    Link link = handTo(byPattern.get("*"), frame, null);
    String name = frame.topic().name();
    link = handTo(byPattern.get(name), frame, link);
    for (int dot = name.indexOf('.'); dot >= 0; dot = name.indexOf('.', dot + 1)) {
      link = handTo(byPattern.get(name.substring(0, dot) + ".*"), frame, link);
    }
    if (link != null) {
      if (newest != null) {
        newest.next = link;
      }
      newest = link;
    }
  }

  private @Nullable Link handTo(@Nullable Set<Shared> wanting, Frame frame, @Nullable Link link) {
    if (wanting == null) {
      return link;
    }
    Link to = link == null ? new Link(frame, ++links) : link;
    for (Shared follower : wanting) {
      follower.take(to);
    }
    return to;
  }

  /** Closes the cursor at the end of the log if nobody needs it. */
  private void release() {
    reading.lock();
    try {
      boolean isNeeded;
      lock.lock();
      try {
        isNeeded = !sharing.isEmpty();
      } finally {
        lock.unlock();
      }
      if (!isNeeded) {
        closeTail();
      }
    } finally {
      reading.unlock();
    }
  }

  @Override
  public void close() {
    List<Shared> all;
    lock.lock();
    try {
      closed = true;
      all = List.copyOf(open);
    } finally {
      lock.unlock();
    }
    all.forEach(Shared::close);
  }

  /** A follower, which reads by itself or shares the tail. */
  private final class Shared implements Follower {

    private final TopicFilter filter;
    private final Condition changed = lock.newCondition();

    /** Reads by itself; null while it shares the tail. Changed by its own thread only. */
    private volatile @Nullable FrameCursor own;

    private volatile boolean isClosed;

    /** The damage that cursors of its own have met that it has closed. */
    private List<Damage> metBefore = List.of();

    /** Where its own cursor last came to the end of the log, and the damage that it had met. */
    private @Nullable Position endBefore;

    private List<Damage> metAtEnd = List.of();

    // Guarded by the lock:

    /** Up to where it has taken frames. */
    private Position position;

    /** Up to where it has to read by itself, because the tail was there when it began to share. */
    private Position sharesAfter = Position.START;

    /** The next frame to take, of those that the tail has read. */
    private @Nullable Link next;

    private boolean isWoken;

    Shared(Query query) {
      this.filter = query.filter();
      this.position = query.after();
    }

    // ---- sharing, under the lock

    boolean isSharing() {
      return own == null && sharing.contains(this);
    }

    /**
     * Begins to share the tail, having read up to a position.
     *
     * @return false if it has to read by itself up to where the tail is, or as long as that can't
     *     begin there
     */
    boolean join(Position upTo) {
      if (sharing.isEmpty()) {
        if (damagedAt != null && !upTo.isAfter(damagedAt)) {
          return false;
        }
        end = upTo;
        isTailStale = true;
        behind = 0;
        looked = UNKNOWN;
      }
      if (sharing.add(this)) {
        sharesAfter = end;
        for (String pattern : filter.patterns()) {
          byPattern.computeIfAbsent(pattern, none -> new LinkedHashSet<>()).add(this);
        }
      }
      return !sharesAfter.isAfter(upTo);
    }

    void leave() {
      if (!sharing.remove(this)) {
        return;
      }
      for (String pattern : filter.patterns()) {
        Set<Shared> wanting = byPattern.get(pattern);
        if (wanting != null && wanting.remove(this) && wanting.isEmpty()) {
          byPattern.remove(pattern);
        }
      }
      if (own == null && next == null) {
        position = later(position, end);
      }
      next = null;
      changed.signal();
    }

    void leaveIfFarBehind() {
      if (next != null && links - next.number > MOST_KEPT) {
        leave();
      }
    }

    /** Gets a frame that one of its patterns matches. */
    void take(Link link) {
      if (next == null) {
        next = link;
        changed.signal();
      }
    }

    void signalIfAlone() {
      if (own != null) {
        changed.signal();
      }
    }

    private @Nullable Frame nextTaken() {
      while (next != null) {
        Link link = next;
        do {
          next = next.next;
        } while (next != null && !filter.matches(next.frame.topic()));
        if (link.frame.position().isAfter(position)) {
          position = link.frame.position();
          return link.frame;
        }
      }
      return null;
    }

    // ---- taking frames

    @Override
    public @Nullable Frame poll(Duration timeout) throws InterruptedException {
      FrameCursor mine = own;
      Frame frame = mine == null ? null : mine.next();
      if (frame != null) {
        return frame;
      }
      lock.lock();
      try {
        return await(TimeUnit.NANOSECONDS.convert(timeout));
      } finally {
        endWaiting();
        lock.unlock();
      }
    }

    /** Lets go of the lock while it reads or waits. */
    private @Nullable Frame await(long nanos) throws InterruptedException {
      long deadline = System.nanoTime() + Math.max(0, nanos);
      long overSince = UNKNOWN;
      while (true) {
        long heard = news.get();
        Frame frame = next();
        if (frame != null) {
          return frame;
        }
        boolean shares = isSharing();
        long left = nanos <= 0 ? 0 : deadline - System.nanoTime();
        if (overSince == UNKNOWN && (isWoken || left <= 0)) {
          overSince = begun; // what was there by now goes before
        } else if (overSince != UNKNOWN && (!shares || ended > overSince)) {
          isWoken &= nanos <= 0;
          return null;
        } else if (shares && (overSince != UNKNOWN || looked != news.get())) {
          look(overSince == UNKNOWN ? begun : overSince);
        } else if (!waiting.contains(this)) {
          beginToWait();
        } else if (shares) {
          changed.awaitNanos(left);
        } else if (heard == news.get()) {
          awaitAlone(left);
        }
      }
    }

    private void awaitAlone(long nanos) throws InterruptedException {
      waitingAlone++;
      try {
        changed.awaitNanos(nanos);
      } finally {
        waitingAlone--;
      }
    }

    /** Has itself woken for what is new from now on. */
    private void beginToWait() {
      waiting.add(this);
      waiters = waiting.size();
      if (isWatched.compareAndSet(false, true)) {
        unlocked(onWaiting);
        news.incrementAndGet(); // others may have appended before they were watched
      }
    }

    private void endWaiting() {
      if (waiting.remove(this)) {
        waiters = waiting.size();
      }
      if (scout == this) {
        scout = null;
      }
      appointScout();
    }

    /** Returns the next frame there is. Lets go of the lock while it reads by itself. */
    private @Nullable Frame next() {
      while (true) {
        if (isClosed) {
          throw RalphException.closed(closed ? "the store" : "the follower");
        }
        if (isSharing()) {
          return nextTaken();
        }
        FrameCursor mine = own;
        lock.unlock();
        Frame frame;
        Position upTo;
        List<Damage> met;
        try {
          mine = mine == null ? begin() : mine;
          frame = mine.next();
          upTo = mine.position();
          met = frame == null ? mine.damage() : List.of();
        } finally {
          lock.lock();
        }
        if (frame != null || !catchesUp(mine, upTo, met)) {
          return frame;
        }
      }
    }

    /** Begins to read by itself. */
    private FrameCursor begin() {
      FrameCursor mine = read.apply(Query.of(filter).after(position));
      own = mine;
      if (isClosed) {
        mine.close();
      }
      return mine;
    }

    /**
     * Shares the tail if its own cursor is at the end of the log.
     *
     * @param upTo where that cursor is
     * @param met the damage that it has met
     * @return whether there may be more to take now
     */
    private boolean catchesUp(FrameCursor mine, Position upTo, List<Damage> met) {
      // Another cursor would not know what to expect behind damage, so a whole batch must follow.
      boolean isClean =
          met.isEmpty() || met.equals(metAtEnd) && endBefore != null && upTo.isAfter(endBefore);
      metAtEnd = met;
      endBefore = upTo;
      boolean shared = sharing.contains(this);
      if (isClean && join(upTo)) {
        metBefore = both(metBefore, met);
        position = upTo;
        own = null;
        unlocked(mine::close);
        return true;
      }
      return !shared && sharing.contains(this);
    }

    // ---- from any thread

    @Override
    public void wakeup() {
      lock.lock();
      try {
        isWoken = true;
        changed.signal();
      } finally {
        lock.unlock();
      }
    }

    @Override
    public Position position() {
      FrameCursor mine = own;
      if (mine != null) {
        return mine.position();
      }
      lock.lock();
      try {
        return next == null && sharing.contains(this) ? later(position, end) : position;
      } finally {
        lock.unlock();
      }
    }

    @Override
    public List<Damage> damage() {
      FrameCursor mine = own;
      return mine == null ? metBefore : both(metBefore, mine.damage());
    }

    @Override
    public void close() {
      boolean isLast;
      lock.lock();
      try {
        isClosed = true;
        open.remove(this);
        leave();
        isLast = sharing.isEmpty();
        changed.signal();
      } finally {
        lock.unlock();
      }
      FrameCursor mine = own;
      if (mine != null) {
        mine.close();
      }
      if (isLast) {
        release();
      }
    }
  }

  private static List<Damage> both(List<Damage> first, List<Damage> second) {
    if (first.isEmpty() || second.isEmpty()) {
      return first.isEmpty() ? second : first;
    }
    List<Damage> both = new ArrayList<>(first);
    both.addAll(second);
    return List.copyOf(both);
  }

  private static Position later(Position one, Position other) {
    return one.isAfter(other) ? one : other;
  }
}
