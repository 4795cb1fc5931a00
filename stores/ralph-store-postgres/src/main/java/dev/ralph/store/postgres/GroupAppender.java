package dev.ralph.store.postgres;

import dev.ralph.log.Appended;
import dev.ralph.log.Batch;
import dev.ralph.log.Draft;
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
 * Appends batches in groups. One thread writes all batches queued during the previous transaction;
 * the other threads wait for the result. Safe for use by many threads.
 *
 * <p>The server identifies a batch by its id, so an append without an answer is sent again and
 * takes effect once.
 */
final class GroupAppender {

  private static final int MAX_GROUP_BATCHES = 128;
  private static final long MAX_GROUP_BYTES = 16L << 20;

  /** The maximum number of attempts if imports collide with concurrent imports. */
  private static final int MAX_ATTEMPTS = 5;

  /** The maximum time to wait for further batches, besides a quarter of the last group's time. */
  private static final long MAX_WAIT_NANOS = TimeUnit.MILLISECONDS.toNanos(2);

  private final PostgresFrameStore store;
  private final ConnectionPool connections;
  private final String sql;

  /** The clock that sets the times of frames; null for the server's clock. */
  private final @Nullable Clock clock;

  private final ReentrantLock lock = new ReentrantLock();
  private final Condition changed = lock.newCondition();
  private final Condition batchQueued = lock.newCondition();
  private final Deque<QueuedBatch> waiting = new ArrayDeque<>();
  private boolean isWriting;

  /** The number of threads that are likely to append to the next group. */
  private int expected;

  private long groupStart;
  private long lastGroupNanos;

  GroupAppender(
      PostgresFrameStore store, ConnectionPool connections, String schema, @Nullable Clock clock) {
    this.store = store;
    this.connections = connections;
    this.sql = "select * from " + schema + ".append(?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)";
    this.clock = clock;
  }

  /**
   * Appends a batch.
   *
   * @throws IndeterminateException if the server may or may not have committed the batch
   */
  Appended append(Batch batch) {
    QueuedBatch own = new QueuedBatch(batch);
    lock.lock();
    try {
      waiting.add(own);
      if (waiting.size() >= expected) {
        batchQueued.signal();
      }
    } finally {
      lock.unlock();
    }
    for (List<QueuedBatch> group = nextGroup(own); !group.isEmpty(); group = nextGroup(own)) {
      try {
        write(group);
      } finally {
        finish(group);
      }
    }
    if (own.failure != null) {
      throw own.failure;
    }
    return Objects.requireNonNull(own.answer, "answer");
  }

  /** Returns the next group to write on this thread; empty once the own batch is done. */
  private List<QueuedBatch> nextGroup(QueuedBatch own) {
    lock.lock();
    try {
      while (isWriting && !own.isDone()) {
        changed.awaitUninterruptibly();
      }
      if (own.isDone()) {
        return List.of();
      }
      isWriting = true;
      awaitBatches();
      groupStart = System.nanoTime();
      List<QueuedBatch> group = new ArrayList<>();
      long bytes = 0;
      while (!waiting.isEmpty() && group.size() < MAX_GROUP_BATCHES) {
        QueuedBatch next = waiting.getFirst();
        bytes += next.bytes;
        if (!group.isEmpty() && bytes > MAX_GROUP_BYTES) {
          break;
        }
        group.add(waiting.removeFirst());
      }
      return group;
    } finally {
      lock.unlock();
    }
  }

  /** Waits briefly for the threads of the previous group, which mostly append again at once. */
  private void awaitBatches() {
    long left = Math.min(lastGroupNanos / 4, MAX_WAIT_NANOS);
    try {
      while (left > 0 && waiting.size() < expected) {
        left = batchQueued.awaitNanos(left);
      }
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
  }

  /** Releases the threads of a group. A batch without a result may or may not be committed. */
  private void finish(List<QueuedBatch> group) {
    lock.lock();
    try {
      isWriting = false;
      lastGroupNanos = System.nanoTime() - groupStart;
      expected = Math.min(group.size() + waiting.size(), MAX_GROUP_BATCHES);
      for (QueuedBatch each : group) {
        if (!each.isDone()) {
          each.isInDoubt = true;
          each.failure = failure(each, new SQLException("the appending thread died"));
        }
      }
      changed.signalAll();
    } finally {
      lock.unlock();
    }
  }

  private void write(List<QueuedBatch> group) {
    // All transactions lock scopes in this order, so that no deadlock occurs.
    group.sort(Comparator.comparing(each -> each.scope));
    try {
      send(group);
    } catch (SQLException e) {
      if (group.size() == 1 || SqlFailures.isTransient(e) || group.get(0).isInDoubt) {
        group.forEach(each -> each.failure = failure(each, e));
        return;
      }
      for (QueuedBatch each : group) { // one batch is at fault; write the others without it
        try {
          send(List.of(each));
        } catch (SQLException cause) {
          each.failure = failure(each, cause);
        }
      }
    } catch (RuntimeException e) { // for example, the store was closed meanwhile
      for (QueuedBatch each : group) {
        each.failure = each.isInDoubt ? inDoubt(each, e) : e;
      }
    }
  }

  private static RalphException failure(QueuedBatch each, SQLException e) {
    RalphException failed = SqlFailures.of("can't append to the store", e);
    return each.isInDoubt ? inDoubt(each, failed) : failed;
  }

  private static RalphException inDoubt(QueuedBatch each, RuntimeException failed) {
    return new IndeterminateException(
        "batch " + each.batch.id() + " may or may not be written: " + failed.getMessage(),
        each.batch.id(),
        Position.START,
        failed);
  }

  private void send(List<QueuedBatch> group) throws SQLException {
    for (int tries = 1; ; tries++) {
      try {
        connections.retry(ConnectionPool.RETRY_TIME, connection -> send(connection, group));
        return;
      } catch (SQLException e) {
        if (!SqlFailures.isDuplicate(e) || tries == MAX_ATTEMPTS) {
          throw e;
        }
      }
    }
  }

  /** Appends in the caller's transaction; returns the position of the last frame. */
  long append(Connection connection, List<Batch> batches) throws SQLException {
    long last = 0;
    List<QueuedBatch> group = new ArrayList<>();
    for (Batch batch : batches) {
      group.add(new QueuedBatch(batch));
    }
    group.sort(Comparator.comparing(each -> each.scope));
    send(connection, group);
    for (QueuedBatch each : group) {
      last = Math.max(last, Objects.requireNonNull(each.answer).position().value());
    }
    return last;
  }

  private boolean send(Connection connection, List<QueuedBatch> group) throws SQLException {
    try (PreparedStatement append = connection.prepareStatement(sql)) {
      fill(append, connection, group);
      try (ResultSet row = append.executeQuery()) {
        for (QueuedBatch each : group) {
          row.next();
          if (row.getString("outcome").equals("k")) {
            each.answerKnown(store.batch(connection, row.getLong("number")), row);
          } else {
            each.answer(row, store);
          }
        }
      }
    } catch (SQLException e) {
      if (SqlFailures.isTransient(e)) { // the server may have committed before the failure
        group.forEach(each -> each.isInDoubt = true);
      }
      throw e;
    }
    return true;
  }

  private void fill(PreparedStatement append, Connection connection, List<QueuedBatch> group)
      throws SQLException {
    int batches = group.size();
    int frames = 0;
    int ranges = 0;
    for (QueuedBatch each : group) {
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
      QueuedBatch each = group.get(i);
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
