package dev.ralph.spi;

import dev.ralph.log.Frame;
import dev.ralph.log.FrameCursor;
import dev.ralph.log.Position;
import dev.ralph.log.Query;
import dev.ralph.log.TopicFilter;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/**
 * The cursor at the end of the log that followers share. The one who looks reads for all, and hands
 * each frame to those who want it.
 *
 * <p>To be called with the lock of those who wait, but for {@link #open} and {@link #release}.
 */
final class SharedTail {

  /** So that those who wait for other frames of the same reading don't wait long. */
  private static final int READ_AT_ONCE = 256;

  /**
   * If more frames are new for each follower, each one reads by itself: it passes over what it does
   * not want faster than all of it can be read.
   */
  private static final int WORTH_SHARING = 1_024;

  /** A follower that has more frames to take reads them itself, so that memory stays bounded. */
  private static final int MOST_KEPT = 4_096;

  private final Function<Query, FrameCursor> read;

  final Waiting waiting;
  private final ReentrantLock lock;

  /** Held while the end of the log is read. Never taken by one who holds the other lock. */
  private final ReentrantLock reading = new ReentrantLock();

  /** Reads what comes at the end of the log. Guarded by {@link #reading}. */
  private @Nullable FrameCursor tail;

  // Guarded by the lock of those who wait:

  /** Those who get what the tail reads. */
  private final Set<TailFollower> sharing = new LinkedHashSet<>();

  /** The same, by each pattern of their filters. */
  private final Map<String, Set<TailFollower>> byPattern = new HashMap<>();

  /** Up to where the tail was read, while anybody shares it. */
  private Position end = Position.START;

  /** Whether the tail has to begin at {@link #end}. */
  private boolean isTailStale;

  /** Where the tail met damage: it is not to begin there again. */
  private @Nullable Position damagedAt;

  /** The newest frame that anybody wanted, as the last link of a chain. */
  private @Nullable FrameLink newest;

  /** How many links there were so far, and how many when it was last checked who holds old ones. */
  private long links;

  private long linksChecked;

  /** How many frames in a row the tail was behind the end of the log. */
  private long behind;

  /** How many times reading was begun, and which of these last came to the end of the log. */
  private long begun;

  private long ended;

  SharedTail(Function<Query, FrameCursor> read, Waiting waiting) {
    this.read = read;
    this.waiting = waiting;
    this.lock = waiting.lock;
  }

  /** Opens a cursor, the tail or a follower's own. */
  FrameCursor open(Query query) {
    return read.apply(query);
  }

  // ---- who shares it

  boolean isEmpty() {
    return sharing.isEmpty();
  }

  boolean contains(TailFollower follower) {
    return sharing.contains(follower);
  }

  /** Up to where it was read. */
  Position end() {
    return end;
  }

  long begun() {
    return begun;
  }

  long ended() {
    return ended;
  }

  /**
   * Has it begin at a position if nobody shares it yet.
   *
   * @return false if it can't begin there
   */
  boolean beginAt(Position upTo) {
    if (sharing.isEmpty()) {
      if (damagedAt != null && !upTo.isAfter(damagedAt)) {
        return false;
      }
      end = upTo;
      isTailStale = true;
      behind = 0;
      waiting.looked(Waiting.UNKNOWN);
    }
    return true;
  }

  boolean add(TailFollower follower, TopicFilter filter) {
    if (!sharing.add(follower)) {
      return false;
    }
    for (String pattern : filter.patterns()) {
      byPattern.computeIfAbsent(pattern, none -> new LinkedHashSet<>()).add(follower);
    }
    return true;
  }

  boolean remove(TailFollower follower, TopicFilter filter) {
    if (!sharing.remove(follower)) {
      return false;
    }
    for (String pattern : filter.patterns()) {
      Set<TailFollower> wanting = byPattern.get(pattern);
      if (wanting != null && wanting.remove(follower) && wanting.isEmpty()) {
        byPattern.remove(pattern);
      }
    }
    return true;
  }

  // ---- reading and handing over

  /**
   * Reads on at the end of the log, unless somebody else has come to it meanwhile. To be called
   * with the lock, which is let go while it reads.
   *
   * @param since how many times reading had been begun when the caller began to want it
   */
  void look(long since) {
    if (!reading.tryLock()) {
      waiting.unlocked(reading::lock);
    }
    try {
      if (sharing.isEmpty() || ended > since) {
        return;
      }
      begun++;
      boolean isStale = isTailStale;
      isTailStale = false;
      Position from = end;
      List<Frame> frames = new ArrayList<>();
      boolean isShared = false;
      long heard = waiting.beginLooking();
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
        waiting.endLooking();
        if (!isShared) {
          List.copyOf(sharing).forEach(TailFollower::leave);
          waiting.unlocked(this::closeTail);
        }
      }
    } finally {
      reading.unlock();
    }
  }

  private FrameCursor openTail(Position from) {
    FrameCursor cursor = open(Query.of(TopicFilter.all()).after(from));
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
   * @return false if each follower has to read by itself
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
      leaveIfFarBehind();
    }
    ended = more ? ended : begun;
    waiting.looked(more ? Waiting.UNKNOWN : heard);
    return true;
  }

  private void leaveIfFarBehind() {
    for (TailFollower follower : List.copyOf(sharing)) {
      if (follower.isBefore(links - MOST_KEPT)) {
        follower.leave();
      }
    }
  }

  /** Adds a frame to the chain if anybody wants it. */
  private void hand(Frame frame) {
    FrameLink link = handTo(byPattern.get("*"), frame, null);
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

  private @Nullable FrameLink handTo(
      @Nullable Set<TailFollower> wanting, Frame frame, @Nullable FrameLink link) {
    if (wanting == null) {
      return link;
    }
    FrameLink to = link == null ? new FrameLink(frame, ++links) : link;
    for (TailFollower follower : wanting) {
      follower.take(to);
    }
    return to;
  }

  /** Closes the cursor at the end of the log if nobody needs it. */
  void release() {
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
}
