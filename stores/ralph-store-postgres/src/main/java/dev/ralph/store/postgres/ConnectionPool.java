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
 * The connections of an open store. Calls are idempotent, so the pool retries a call if the server
 * restarts or the connection breaks. Safe for use by many threads.
 */
final class ConnectionPool implements AutoCloseable {

  /** The time for which a call is retried after transient failures. */
  static final Duration RETRY_TIME = Duration.ofSeconds(30);

  /**
   * Limits the wait for an answer, because the server may have lost its network. An append that
   * waits longer for a lock is sent again, and still takes effect once.
   */
  private static final Duration SOCKET_TIMEOUT = Duration.ofSeconds(20);

  private static final long FIRST_PAUSE_MILLIS = 5;
  private static final long LONGEST_PAUSE_MILLIS = 200;

  /** The maximum number of connections in use. A server allows 100 in total by default. */
  private static final int MAX_IN_USE = 4;

  /** A call on a connection. The pool may run the call more than once. */
  interface Work<T> {
    T run(Connection connection) throws SQLException;
  }

  private interface Source {
    Connection connect() throws SQLException;
  }

  private final Source source;
  private final int maxIdle;
  private final Semaphore permits = new Semaphore(MAX_IN_USE);
  private final ReentrantLock lock = new ReentrantLock();
  private final Deque<Connection> idle = new ArrayDeque<>();
  private final OutageReporter outage = new OutageReporter();
  private volatile boolean isPooled;
  private boolean closed;

  private ConnectionPool(Source source, int maxIdle) {
    this.source = source;
    this.maxIdle = maxIdle;
  }

  /** Returns a pool that opens connections to the server at an address. */
  static ConnectionPool to(PostgresAddress address) {
    Properties settings = new Properties();
    settings.setProperty("ApplicationName", "ralph");
    settings.setProperty("tcpKeepAlive", "true");
    settings.setProperty("connectTimeout", "10");
    settings.setProperty("socketTimeout", String.valueOf(SOCKET_TIMEOUT.toSeconds()));
    return new ConnectionPool(() -> connect(address.url(), settings), MAX_IN_USE);
  }

  /**
   * Connects with a driver of this class's loader, because {@link java.sql.DriverManager} may have
   * loaded its drivers by another loader.
   */
  private static Connection connect(String url, Properties settings) throws SQLException {
    for (Driver driver : ServiceLoader.load(Driver.class, ConnectionPool.class.getClassLoader())) {
      if (driver.acceptsURL(url)) {
        return driver.connect(url, settings);
      }
    }
    throw new SQLException(
        "no JDBC driver accepts " + url + "; add org.postgresql:postgresql to the class path");
  }

  /** Returns a pool over a host's data source; each connection is closed after its call. */
  static ConnectionPool of(DataSource host) {
    return new ConnectionPool(host::getConnection, 0);
  }

  /** Returns the JDBC URL of the server, or null if the driver does not report the URL. */
  @Nullable String url() {
    return callOnce("connect to PostgreSQL", connection -> connection.getMetaData().getURL());
  }

  /**
   * Runs a call, and retries transient failures for {@link #RETRY_TIME}.
   *
   * @param action names the call in the message of a failure, such as {@code read the log}
   */
  <T> T call(String action, Work<T> work) {
    return call(action, RETRY_TIME, work);
  }

  /** Runs a call without retries. */
  <T> T callOnce(String action, Work<T> work) {
    return call(action, Duration.ZERO, work);
  }

  /**
   * Runs a call.
   *
   * @param retryTime the time for which transient failures are retried
   */
  <T> T call(String action, Duration retryTime, Work<T> work) {
    try {
      return retry(retryTime, work);
    } catch (SQLException e) {
      throw SqlFailures.of("can't " + action, e);
    }
  }

  /**
   * Runs a call until it succeeds, fails permanently, or the retry time ends. An interrupt would
   * close the socket of a virtual thread, so the interrupt is cleared and restored at the end.
   */
  <T> T retry(Duration retryTime, Work<T> work) throws SQLException {
    long giveUp = System.nanoTime() + retryTime.toNanos();
    boolean interrupted = false;
    long pause = FIRST_PAUSE_MILLIS;
    try {
      while (true) {
        interrupted |= Thread.interrupted();
        try {
          T result = runOnce(work);
          outage.succeeded();
          return result;
        } catch (SQLException e) {
          if (!SqlFailures.isTransient(e)) {
            throw e;
          }
          outage.failed(e);
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

  /** Sleeps; returns false if the thread was interrupted. */
  private static boolean pause(long millis) {
    try {
      Thread.sleep(millis);
      return true;
    } catch (InterruptedException e) {
      return false;
    }
  }

  private <T> T runOnce(Work<T> work) throws SQLException {
    permits.acquireUninterruptibly();
    try {
      Connection connection = take();
      boolean isUsable = false;
      try {
        T result = work.run(connection);
        isUsable = true;
        return result;
      } catch (SQLException e) {
        isUsable = !SqlFailures.isTransient(e);
        throw e;
      } finally {
        release(connection, isUsable);
      }
    } finally {
      permits.release();
    }
  }

  /** Runs a long call without the socket timeout. */
  static <T> T withoutTimeout(Connection connection, Work<T> work) throws SQLException {
    int millis = connection.getNetworkTimeout();
    connection.setNetworkTimeout(Runnable::run, 0);
    try {
      return work.run(connection);
    } finally {
      if (!connection.isClosed()) { // a closed connection would throw, and hide the first exception
        connection.setNetworkTimeout(Runnable::run, millis);
      }
    }
  }

  /**
   * Detects a pooler such as PgBouncer, which may run each transaction on a different server
   * connection. Behind a pooler the server's process id differs from the id that the driver
   * received.
   *
   * @param processId the result of {@code pg_backend_pid()} on the connection
   */
  void detectPooler(Connection connection, int processId) throws SQLException {
    if (!isPooled
        && connection.isWrapperFor(PGConnection.class)
        && connection.unwrap(PGConnection.class).getBackendPID() != processId) {
      isPooled = true;
      System.getLogger(ConnectionPool.class.getPackageName())
          .log(
              Level.INFO,
              "PostgreSQL is behind a pooler, which passes no notifications; frames of other hosts"
                  + " appear within a second");
    }
  }

  boolean isPooled() {
    return isPooled;
  }

  /** Returns an idle connection or a new one. The caller has to close or return the connection. */
  Connection take() throws SQLException {
    Connection connection = idleOrNew();
    if (isPooled) { // a prepared statement may not exist on the next server connection
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

  private void release(Connection connection, boolean isUsable) throws SQLException {
    if (isUsable) {
      if (!connection.getAutoCommit()) {
        connection.rollback();
        connection.setAutoCommit(true);
      }
      lock.lock();
      try {
        if (!closed && idle.size() < maxIdle) {
          idle.addFirst(connection);
          return;
        }
      } finally {
        lock.unlock();
      }
    }
    try {
      connection.close();
    } catch (SQLException e) {
      // the connection is closed already
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
      } catch (SQLException e) {
        // the connection is closed already
      }
    }
  }
}
