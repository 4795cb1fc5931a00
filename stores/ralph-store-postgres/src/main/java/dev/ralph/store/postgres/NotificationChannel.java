package dev.ralph.store.postgres;

import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.Condition;
import java.util.concurrent.locks.ReentrantLock;
import org.jspecify.annotations.Nullable;
import org.postgresql.PGConnection;
import org.postgresql.PGNotification;

/**
 * Notifies other processes of appended frames, and receives their notifications. Notifications are
 * sent outside the transactions of appends, because PostgreSQL commits transactions with
 * notifications one at a time. They may be lost, so the listener also polls.
 */
final class NotificationChannel implements AutoCloseable {

  private static final long MIN_INTERVAL_NANOS = TimeUnit.MILLISECONDS.toNanos(10);
  private static final int POLL_MILLIS = 1_000;

  /** The number of polls without a notification after which the connection is checked. */
  private static final int MAX_EMPTY_POLLS = 30;

  private static final long RECONNECT_MILLIS = 100;

  private final ConnectionPool connections;
  private final String channel;
  private final Runnable onAppend;
  private final ReentrantLock lock = new ReentrantLock();
  private final Condition changed = lock.newCondition();
  private @Nullable Thread sender;
  private @Nullable Thread listener;
  private @Nullable Connection listening;
  private boolean hasAppended;

  /** The earliest time of the next notification, as {@link System#nanoTime()}. */
  private long nextAt = System.nanoTime();

  private boolean closed;

  NotificationChannel(ConnectionPool connections, String schema, Runnable onAppend) {
    this.connections = connections;
    this.channel = "ralph_" + schema;
    this.onAppend = onAppend;
  }

  /** Schedules a notification of frames that this process appended. */
  void send() {
    lock.lock();
    try {
      hasAppended = true;
      if (sender == null && !closed) {
        sender = start("ralph-postgres-tell", this::sendUntilClosed);
      }
      changed.signalAll();
    } finally {
      lock.unlock();
    }
  }

  /** Starts the thread that receives notifications, unless it has been started. */
  void listen() {
    lock.lock();
    try {
      if (listener == null && !closed) {
        listener = start("ralph-postgres-listen", this::listenUntilClosed);
      }
    } finally {
      lock.unlock();
    }
  }

  private static Thread start(String name, Runnable work) {
    Thread thread = new Thread(work, name);
    thread.setDaemon(true);
    thread.start();
    return thread;
  }

  /** Sends notifications. Their transactions skip the sync to disk, because they write no data. */
  private void sendUntilClosed() {
    while (awaitAppend()) {
      try {
        connections.retry(
            ConnectionPool.RETRY_TIME,
            connection -> {
              try (PreparedStatement notify =
                  connection.prepareStatement(
                      "select set_config('synchronous_commit', 'off', true), pg_notify(?, '')")) {
                notify.setString(1, channel);
                return notify.execute();
              }
            });
      } catch (SQLException | RuntimeException e) {
        // without a notification, the other processes find the frames by polling
      }
    }
  }

  /**
   * Waits for appended frames, and until the minimum interval has passed.
   *
   * @return false if the channel is closed and no notification is left to send
   */
  private boolean awaitAppend() {
    lock.lock();
    try {
      while (!closed && (!hasAppended || System.nanoTime() - nextAt < 0)) {
        if (hasAppended) {
          awaitNanos(nextAt - System.nanoTime());
        } else {
          changed.awaitUninterruptibly();
        }
      }
      boolean result = hasAppended;
      hasAppended = false;
      nextAt = System.nanoTime() + MIN_INTERVAL_NANOS;
      return result;
    } finally {
      lock.unlock();
    }
  }

  private void awaitNanos(long nanos) {
    try {
      changed.awaitNanos(nanos);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
  }

  private void listenUntilClosed() {
    while (connections.isPooled() && !isClosed()) {
      onAppend.run();
      awaitNextPoll();
    }
    while (!isClosed()) {
      try (Connection connection = connections.take()) {
        lock.lock();
        try {
          listening = connection;
          if (closed) {
            return;
          }
        } finally {
          lock.unlock();
        }
        listenOn(connection);
      } catch (SQLException | RuntimeException e) {
        onAppend.run();
        pause();
      }
    }
  }

  private void awaitNextPoll() {
    lock.lock();
    try {
      if (!closed) {
        awaitNanos(TimeUnit.MILLISECONDS.toNanos(POLL_MILLIS));
      }
    } finally {
      lock.unlock();
    }
  }

  /** Receives notifications, and runs the action after each poll because one may be lost. */
  private void listenOn(Connection connection) throws SQLException {
    PGConnection server = connection.unwrap(PGConnection.class);
    try (Statement statement = connection.createStatement()) {
      statement.execute("listen " + channel);
    }
    for (int emptyPolls = 0; !isClosed(); emptyPolls++) {
      onAppend.run();
      PGNotification[] received = server.getNotifications(POLL_MILLIS);
      emptyPolls = received.length > 0 ? 0 : emptyPolls;
      if (emptyPolls >= MAX_EMPTY_POLLS) { // detects a dead server
        emptyPolls = 0;
        try (Statement statement = connection.createStatement()) {
          statement.execute("select 1");
        }
      }
    }
  }

  private static void pause() {
    try {
      Thread.sleep(RECONNECT_MILLIS);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
  }

  private boolean isClosed() {
    lock.lock();
    try {
      return closed;
    } finally {
      lock.unlock();
    }
  }

  /** Sends the last notification if one is due, and stops both threads. */
  @Override
  public void close() {
    Thread sending;
    Connection open;
    lock.lock();
    try {
      closed = true;
      sending = sender;
      open = listening;
      changed.signalAll();
    } finally {
      lock.unlock();
    }
    if (open != null) {
      try {
        open.abort(Runnable::run);
      } catch (SQLException e) {
        // the connection is closed already
      }
    }
    if (sending != null) {
      boolean interrupted = Thread.interrupted();
      try {
        sending.join(POLL_MILLIS);
      } catch (InterruptedException e) {
        interrupted = true;
      }
      if (interrupted) {
        Thread.currentThread().interrupt();
      }
    }
  }
}
