package dev.ralph.store.postgres;

import dev.ralph.log.RalphException;
import java.lang.System.Logger.Level;
import java.sql.Connection;
import java.sql.Driver;
import java.sql.SQLException;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.Properties;
import java.util.ServiceLoader;
import java.util.concurrent.Semaphore;
import java.util.concurrent.locks.ReentrantLock;
import javax.sql.DataSource;
import org.jspecify.annotations.Nullable;
import org.postgresql.PGConnection;

/**
 * The connections of one open store. What is done on them can be done again, so that a server that
 * restarts, or a connection that is cut, only takes time. Safe for use by many threads.
 */
final class Connections implements AutoCloseable {

  /** How long is tried again what may go well in a moment. */
  static final Duration PATIENCE = Duration.ofSeconds(30);

  /**
   * How long a server may say nothing: a host that lost its network says nothing either. An append
   * that waits for a lock longer is sent again, and takes place once.
   */
  private static final Duration SILENCE = Duration.ofSeconds(20);

  private static final long FIRST_PAUSE_MILLIS = 5;
  private static final long LONGEST_PAUSE_MILLIS = 200;

  /** How many are used at once. A server has a hundred for everybody. */
  private static final int MOST = 4;

  /** What is done on a connection. It may be done more than once. */
  interface Work<T> {
    T on(Connection connection) throws SQLException;
  }

  private interface Source {
    Connection connect() throws SQLException;
  }

  private final Source source;
  private final int mostIdle;
  private final Semaphore unused = new Semaphore(MOST);
  private final ReentrantLock lock = new ReentrantLock();
  private final Deque<Connection> idle = new ArrayDeque<>();
  private final Outage outage = new Outage();
  private volatile boolean arePooled;
  private boolean closed;

  private Connections(Source source, int mostIdle) {
    this.source = source;
    this.mostIdle = mostIdle;
  }

  /** Returns connections of our own. */
  static Connections to(Address address) {
    Properties settings = new Properties();
    settings.setProperty("ApplicationName", "ralph");
    settings.setProperty("tcpKeepAlive", "true");
    settings.setProperty("connectTimeout", "10");
    settings.setProperty("socketTimeout", String.valueOf(SILENCE.toSeconds()));
    return new Connections(() -> connect(address.url(), settings), MOST);
  }

  /** Asks our own class loader: DriverManager knows the drivers of one that was there first. */
  private static Connection connect(String url, Properties settings) throws SQLException {
    for (Driver driver : ServiceLoader.load(Driver.class, Connections.class.getClassLoader())) {
      if (driver.acceptsURL(url)) {
        return driver.connect(url, settings);
      }
    }
    throw new SQLException("there is no driver for " + url);
  }

  /** Returns connections that a host has; each goes back to it at once. */
  static Connections of(DataSource host) {
    return new Connections(host::getConnection, 0);
  }

  /** Returns what the driver connects to, or null where it does not tell. */
  @Nullable String url() {
    return once("connect to PostgreSQL", connection -> connection.getMetaData().getURL());
  }

  /**
   * Does something on a connection, again if that may help.
   *
   * @param what as the failure's message begins
   */
  <T> T call(String what, Work<T> work) {
    return call(what, PATIENCE, work);
  }

  /** Does something on a connection, once. */
  <T> T once(String what, Work<T> work) {
    return call(what, Duration.ZERO, work);
  }

  /**
   * Does something on a connection.
   *
   * @param patience for how long it is tried again
   */
  <T> T call(String what, Duration patience, Work<T> work) {
    try {
      return attempt(patience, work);
    } catch (SQLException e) {
      throw Failures.of("can't " + what, e);
    }
  }

  /**
   * Does something on a connection, again until the patience is over or the failure is one that
   * stays. An interrupt would cut the connection of a virtual thread, so it is kept for afterwards.
   */
  <T> T attempt(Duration patience, Work<T> work) throws SQLException {
    long giveUp = System.nanoTime() + patience.toNanos();
    boolean interrupted = false;
    long pause = FIRST_PAUSE_MILLIS;
    try {
      while (true) {
        interrupted |= Thread.interrupted();
        try {
          T result = onOne(work);
          outage.ended();
          return result;
        } catch (SQLException e) {
          if (!Failures.passes(e)) {
            throw e;
          }
          outage.goesOn(e);
          if (System.nanoTime() - giveUp >= 0) {
            throw e;
          }
        }
        interrupted |= !pause(pause);
        pause = Math.min(2 * pause, LONGEST_PAUSE_MILLIS);
      }
    } finally {
      if (interrupted) {
        Thread.currentThread().interrupt();
      }
    }
  }

  /** Returns false if the thread was interrupted. */
  private static boolean pause(long millis) {
    try {
      Thread.sleep(millis);
      return true;
    } catch (InterruptedException e) {
      return false;
    }
  }

  private <T> T onOne(Work<T> work) throws SQLException {
    unused.acquireUninterruptibly();
    try {
      Connection connection = take();
      boolean sound = false;
      try {
        T result = work.on(connection);
        sound = true;
        return result;
      } catch (SQLException e) {
        sound = !Failures.passes(e);
        throw e;
      } finally {
        giveBack(connection, sound);
      }
    } finally {
      unused.release();
    }
  }

  /** Does something that the server may take its time for, without a word meanwhile. */
  static <T> T unhurried(Connection connection, Work<T> work) throws SQLException {
    int millis = connection.getNetworkTimeout();
    connection.setNetworkTimeout(Runnable::run, 0);
    try {
      return work.on(connection);
    } finally {
      if (!connection.isClosed()) { // one that was cut takes no settings, and would hide why
        connection.setNetworkTimeout(Runnable::run, millis);
      }
    }
  }

  /**
   * Learns whether a pooler stands between, as PgBouncer, which gives each transaction a connection
   * of its own to the server: the server's number for it is not the one that we were told.
   */
  void meet(Connection connection, int number) throws SQLException {
    if (!arePooled
        && connection.isWrapperFor(PGConnection.class)
        && connection.unwrap(PGConnection.class).getBackendPID() != number) {
      arePooled = true;
      System.getLogger(Connections.class.getPackageName())
          .log(
              Level.INFO,
              "a pooler stands before PostgreSQL, which passes no notifications on: what others"
                  + " append is seen within a second");
    }
  }

  boolean arePooled() {
    return arePooled;
  }

  /** Returns a connection that the caller has to close. */
  Connection take() throws SQLException {
    Connection connection = idleOrNew();
    if (arePooled) { // a statement that was prepared for one may meet another
      connection.unwrap(PGConnection.class).setPrepareThreshold(0);
    }
    return connection;
  }

  private Connection idleOrNew() throws SQLException {
    lock.lock();
    try {
      if (closed) {
        throw RalphException.closed("the store");
      }
      Connection found = idle.pollFirst();
      if (found != null) {
        return found;
      }
    } finally {
      lock.unlock();
    }
    return source.connect();
  }

  private void giveBack(Connection connection, boolean sound) throws SQLException {
    if (sound) {
      if (!connection.getAutoCommit()) {
        connection.rollback();
        connection.setAutoCommit(true);
      }
      lock.lock();
      try {
        if (!closed && idle.size() < mostIdle) {
          idle.addFirst(connection);
          return;
        }
      } finally {
        lock.unlock();
      }
    }
    try {
      connection.close();
    } catch (SQLException gone) {
      // nothing is left to be closed
    }
  }

  @Override
  public void close() {
    Deque<Connection> left;
    lock.lock();
    try {
      closed = true;
      left = new ArrayDeque<>(idle);
      idle.clear();
    } finally {
      lock.unlock();
    }
    for (Connection connection : left) {
      try {
        connection.close();
      } catch (SQLException gone) {
        // nothing is left to be closed
      }
    }
  }
}
