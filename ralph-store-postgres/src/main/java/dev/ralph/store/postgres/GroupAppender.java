package dev.ralph.store.postgres;

import dev.ralph.log.Appended;
import dev.ralph.log.Batch;
import dev.ralph.log.Draft;
import dev.ralph.log.Frame;
import dev.ralph.log.IndeterminateException;
import dev.ralph.log.Position;
import dev.ralph.log.RalphException;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Types;
import java.time.Clock;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.Deque;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.Condition;
import java.util.concurrent.locks.ReentrantLock;
import org.jspecify.annotations.Nullable;

/**
 * Appends batches, in one transaction all that have piled up while the one before was committed. Of
 * those who wait, one does it for the others. Safe for use by many threads.
 *
 * <p>The server knows a batch by its id, so an append whose answer was lost is simply sent again:
 * it takes place once.
 */
final class GroupAppender {

  private static final int MOST_TOGETHER = 128;
  private static final long MOST_BYTES = 16L << 20;
  private static final int MOST_TRIES = 5;

  /**
   * Waiting for the others takes a fourth of a group's time at most, and never longer than this.
   */
  private static final long MOST_GATHERING_NANOS = TimeUnit.MILLISECONDS.toNanos(2);

  private final PostgresFrameStore store;
  private final Connections connections;
  private final String sql;

  /** Null for the server's. */
  private final @Nullable Clock clock;

  private final ReentrantLock lock = new ReentrantLock();
  private final Condition changed = lock.newCondition();
  private final Condition gathered = lock.newCondition();
  private final Deque<PendingAppend> waiting = new ArrayDeque<>();
  private boolean isBusy;

  /** How many append by now: those who just did mostly come again in a moment. */
  private int appending;

  private long begun;
  private long tookNanos;

  GroupAppender(
      PostgresFrameStore store, Connections connections, String schema, @Nullable Clock clock) {
    this.store = store;
    this.connections = connections;
    this.sql = "select * from " + schema + ".append(?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)";
    this.clock = clock;
  }

  Appended append(Batch batch) {
    PendingAppend own = new PendingAppend(batch);
    lock.lock();
    try {
      waiting.add(own);
      if (waiting.size() >= appending) {
        gathered.signal();
      }
    } finally {
      lock.unlock();
    }
    for (List<PendingAppend> group = lead(own); !group.isEmpty(); group = lead(own)) {
      try {
        write(group);
      } finally {
        done(group);
      }
    }
    if (own.failure != null) {
      throw own.failure;
    }
    return Objects.requireNonNull(own.answer, "answer");
  }

  /** Returns what to append now, for others too, or nothing once the own batch is. */
  private List<PendingAppend> lead(PendingAppend own) {
    lock.lock();
    try {
      while (isBusy && !own.isDone()) {
        changed.awaitUninterruptibly();
      }
      if (own.isDone()) {
        return List.of();
      }
      isBusy = true;
      gather();
      begun = System.nanoTime();
      List<PendingAppend> group = new ArrayList<>();
      long bytes = 0;
      while (!waiting.isEmpty() && group.size() < MOST_TOGETHER) {
        PendingAppend next = waiting.getFirst();
        bytes += next.bytes;
        if (!group.isEmpty() && bytes > MOST_BYTES) {
          break;
        }
        group.add(waiting.removeFirst());
      }
      return group;
    } finally {
      lock.unlock();
    }
  }

  /** Waits a moment for those of the group before: else they would all miss the next one. */
  private void gather() {
    long left = Math.min(tookNanos / 4, MOST_GATHERING_NANOS);
    try {
      while (left > 0 && waiting.size() < appending) {
        left = gathered.awaitNanos(left);
      }
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
  }

  private void done(List<PendingAppend> group) {
    lock.lock();
    try {
      isBusy = false;
      tookNanos = System.nanoTime() - begun;
      appending = Math.min(group.size() + waiting.size(), MOST_TOGETHER);
      for (PendingAppend each : group) {
        if (!each.isDone()) {
          each.isInDoubt = true;
          each.failure = failure(each, new SQLException("the thread that appended it died"));
        }
      }
      changed.signalAll();
    } finally {
      lock.unlock();
    }
  }

  private void write(List<PendingAppend> group) {
    // Locks of scopes are taken in this order by everybody.
    group.sort(Comparator.comparing(each -> each.scope));
    try {
      send(group);
    } catch (SQLException e) {
      if (group.size() == 1 || Failures.passes(e) || group.get(0).isInDoubt) {
        group.forEach(each -> each.failure = failure(each, e));
        return;
      }
      for (PendingAppend each : group) { // it is the fault of one, so that the others go through
        try {
          send(List.of(each));
        } catch (SQLException own) {
          each.failure = failure(each, own);
        }
      }
    } catch (RuntimeException e) { // such as that the store was closed meanwhile
      for (PendingAppend each : group) {
        each.failure = each.isInDoubt ? inDoubt(each, e) : e;
      }
    }
  }

  private static RalphException failure(PendingAppend each, SQLException e) {
    RalphException failed = Failures.of("can't append to the store", e);
    return each.isInDoubt ? inDoubt(each, failed) : failed;
  }

  private static RalphException inDoubt(PendingAppend each, RuntimeException failed) {
    return new IndeterminateException(
        "it is not known whether batch " + each.batch.id() + " was written: " + failed.getMessage(),
        each.batch.id(),
        Position.START,
        failed);
  }

  private void send(List<PendingAppend> group) throws SQLException {
    for (int tries = 1; ; tries++) {
      try {
        connections.attempt(Connections.PATIENCE, connection -> send(connection, group));
        return;
      } catch (SQLException e) {
        if (!Failures.isDuplicate(e) || tries == MOST_TRIES) {
          throw e;
        }
      }
    }
  }

  /** Appends within a transaction of the caller's; returns the position of the last frame. */
  long append(Connection connection, List<Batch> batches) throws SQLException {
    long last = 0;
    List<PendingAppend> group = new ArrayList<>();
    for (Batch batch : batches) {
      group.add(new PendingAppend(batch));
    }
    group.sort(Comparator.comparing(each -> each.scope));
    send(connection, group);
    for (PendingAppend each : group) {
      last = Math.max(last, Objects.requireNonNull(each.answer).position().value());
    }
    return last;
  }

  private boolean send(Connection connection, List<PendingAppend> group) throws SQLException {
    try (PreparedStatement append = connection.prepareStatement(sql)) {
      fill(append, connection, group);
      try (ResultSet row = append.executeQuery()) {
        for (PendingAppend each : group) {
          row.next();
          if (row.getString("outcome").equals("k")) {
            List<Frame> frames = store.batch(connection, row.getLong("number"));
            each.answer = Appended.of(frames, frames.get(frames.size() - 1).position());
          } else {
            each.answer(row, store);
          }
        }
      }
    } catch (SQLException e) {
      if (Failures.passes(e)) { // the server may have got as far as to commit it
        group.forEach(each -> each.isInDoubt = true);
      }
      throw e;
    }
    return true;
  }

  private void fill(PreparedStatement append, Connection connection, List<PendingAppend> group)
      throws SQLException {
    int batches = group.size();
    int frames = 0;
    int ranges = 0;
    for (PendingAppend each : group) {
      frames += each.ids.length;
      ranges += each.bounds.lows().length;
    }
    String[] scopes = new String[batches];
    String[] batchIds = new String[batches];
    Integer[] counts = new Integer[batches];
    Boolean[] imports = new Boolean[batches];
    Integer[] bounds = new Integer[batches];
    Long[] sinces = new Long[batches];
    String[] lows = new String[ranges];
    String[] highs = new String[ranges];
    String[] topics = new String[frames];
    String[] ids = new String[frames];
    Long[] times = new Long[frames];
    String[] metas = new String[frames];
    byte[][] contents = new byte[frames][];
    int frame = 0;
    int range = 0;
    for (int i = 0; i < batches; i++) {
      PendingAppend each = group.get(i);
      scopes[i] = each.scope;
      batchIds[i] = each.batch.id();
      counts[i] = each.ids.length;
      imports[i] = each.isImport;
      bounds[i] = each.bounds.lows().length;
      sinces[i] = each.since;
      System.arraycopy(each.bounds.lows(), 0, lows, range, bounds[i]);
      System.arraycopy(each.bounds.highs(), 0, highs, range, bounds[i]);
      range += bounds[i];
      for (int j = 0; j < each.ids.length; j++, frame++) {
        Draft draft = each.drafts.get(j);
        topics[frame] = draft.topic().name();
        ids[frame] = each.ids[j];
        times[frame] = draft.time() == null ? null : draft.time().toEpochMilli();
        metas[frame] = draft.meta().json();
        contents[frame] = each.contents[j];
      }
    }
    append.setArray(1, connection.createArrayOf("text", scopes));
    append.setArray(2, connection.createArrayOf("text", batchIds));
    append.setArray(3, connection.createArrayOf("int4", counts));
    append.setArray(4, connection.createArrayOf("bool", imports));
    append.setObject(5, clock == null ? null : clock.millis(), Types.BIGINT);
    append.setArray(6, connection.createArrayOf("int4", bounds));
    append.setArray(7, connection.createArrayOf("text", lows));
    append.setArray(8, connection.createArrayOf("text", highs));
    append.setArray(9, connection.createArrayOf("int8", sinces));
    append.setArray(10, connection.createArrayOf("text", topics));
    append.setArray(11, connection.createArrayOf("text", ids));
    append.setArray(12, connection.createArrayOf("int8", times));
    append.setArray(13, connection.createArrayOf("text", metas));
    append.setArray(14, connection.createArrayOf("bytea", contents));
  }
}
