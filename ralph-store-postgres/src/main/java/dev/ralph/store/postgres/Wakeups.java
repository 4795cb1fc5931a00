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
 * Tells other processes that something was appended, and hears of it from them. Both have a
 * connection of their own: a notification within the transaction of an append would keep all others
 * of the database waiting. What is told may be lost, so those who wait look now and then by
 * themselves.
 */
final class Wakeups implements AutoCloseable {

  private static final long BETWEEN_NANOS = TimeUnit.MILLISECONDS.toNanos(10);
  private static final int LISTEN_MILLIS = 1_000;
  private static final int MOST_SILENT = 30;
  private static final long PAUSE_MILLIS = 100;

  private final Connections connections;
  private final String channel;
  private final Runnable onNews;
  private final ReentrantLock lock = new ReentrantLock();
  private final Condition changed = lock.newCondition();
  private @Nullable Thread teller;
  private @Nullable Thread listener;
  private @Nullable Connection listening;
  private boolean hasNews;

  /** When others may be told again. */
  private long nextAt = System.nanoTime();

  private boolean closed;

  Wakeups(Connections connections, String schema, Runnable onNews) {
    this.connections = connections;
    this.channel = "ralph_" + schema;
    this.onNews = onNews;
  }

  /** Says that something was appended here. */
  void tell() {
    lock.lock();
    try {
      hasNews = true;
      if (teller == null && !closed) {
        teller = start("ralph-postgres-tell", this::tellAll);
      }
      changed.signalAll();
    } finally {
      lock.unlock();
    }
  }

  /** Begins to listen, the first time. */
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

  /** Doesn't wait for the disk, where there is nothing to keep. */
  private void tellAll() {
    while (awaitNews()) {
      try {
        connections.attempt(
            Connections.PATIENCE,
            connection -> {
              try (PreparedStatement notify =
                  connection.prepareStatement(
                      "select set_config('synchronous_commit', 'off', true), pg_notify(?, '')")) {
                notify.setString(1, channel);
                return notify.execute();
              }
            });
      } catch (SQLException | RuntimeException notTold) {
        // others look by themselves
      }
    }
  }

  /** Waits for news, and a moment after those told last; returns false once closed without any. */
  private boolean awaitNews() {
    lock.lock();
    try {
      while (!closed && (!hasNews || System.nanoTime() - nextAt < 0)) {
        if (hasNews) {
          awaitNanos(nextAt - System.nanoTime());
        } else {
          changed.awaitUninterruptibly();
        }
      }
      boolean news = hasNews;
      hasNews = false;
      nextAt = System.nanoTime() + BETWEEN_NANOS;
      return news;
    } finally {
      lock.unlock();
    }
  }

  private void awaitNanos(long nanos) {
    try {
      changed.awaitNanos(nanos);
    } catch (InterruptedException nobodyInterruptsIt) {
      Thread.currentThread().interrupt();
    }
  }

  private void listenUntilClosed() {
    while (connections.arePooled() && !isClosed()) {
      onNews.run();
      awaitTheNextLook();
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
      } catch (SQLException | RuntimeException gone) {
        onNews.run();
        pause();
      }
    }
  }

  private void awaitTheNextLook() {
    lock.lock();
    try {
      if (!closed) {
        awaitNanos(TimeUnit.MILLISECONDS.toNanos(LISTEN_MILLIS));
      }
    } finally {
      lock.unlock();
    }
  }

  /** Looks once in a while, too: a notification may be lost. */
  private void listenOn(Connection connection) throws SQLException {
    PGConnection server = connection.unwrap(PGConnection.class);
    try (Statement statement = connection.createStatement()) {
      statement.execute("listen " + channel);
    }
    for (int silent = 0; !isClosed(); silent++) {
      onNews.run();
      PGNotification[] heard = server.getNotifications(LISTEN_MILLIS);
      silent = heard.length > 0 ? 0 : silent;
      if (silent >= MOST_SILENT) { // the other side may be gone without a word
        silent = 0;
        try (Statement statement = connection.createStatement()) {
          statement.execute("select 1");
        }
      }
    }
  }

  private static void pause() {
    try {
      Thread.sleep(PAUSE_MILLIS);
    } catch (InterruptedException nobodyInterruptsIt) {
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

  /** Tells what is left to tell. */
  @Override
  public void close() {
    Thread telling;
    Connection open;
    lock.lock();
    try {
      closed = true;
      telling = teller;
      open = listening;
      changed.signalAll();
    } finally {
      lock.unlock();
    }
    if (open != null) {
      try {
        open.abort(Runnable::run);
      } catch (SQLException gone) {
        // then it hears nothing any more
      }
    }
    if (telling != null) {
      boolean interrupted = Thread.interrupted();
      try {
        telling.join(LISTEN_MILLIS);
      } catch (InterruptedException e) {
        interrupted = true;
      }
      if (interrupted) {
        Thread.currentThread().interrupt();
      }
    }
  }
}
