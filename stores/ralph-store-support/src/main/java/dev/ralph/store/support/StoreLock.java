package dev.ralph.store.support;

import dev.ralph.log.LockedException;
import dev.ralph.log.RalphException;
import dev.ralph.store.support.internal.file.FileIdentity;
import java.io.IOException;
import java.io.RandomAccessFile;
import java.nio.ByteBuffer;
import java.nio.MappedByteBuffer;
import java.nio.channels.ClosedByInterruptException;
import java.nio.channels.FileChannel;
import java.nio.channels.FileLock;
import java.nio.channels.OverlappingFileLockException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.HashMap;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import java.util.concurrent.locks.ReentrantLock;
import org.jspecify.annotations.Nullable;

/**
 * The lock under which frames are appended to a store. At most one thread of all processes holds
 * the lock.
 *
 * <p>The operating system grants a file lock to a process, not to a thread. The system releases the
 * lock as soon as the process closes <em>any</em> channel of the file. Therefore each store has a
 * lock file that has no other use and is never deleted. Each JVM opens a single channel of the file
 * for all users of the store. A mutex serializes the JVM's threads.
 *
 * <p>The system releases the lock of a killed process. The lock file contains the pid of the
 * holder, so that {@link LockedException} names a process that is stopped or does not release the
 * lock.
 */
public final class StoreLock implements AutoCloseable {

  /** The time to wait for a stopped holder, in nanoseconds. */
  public static final long STOPPED_NANOS = TimeUnit.SECONDS.toNanos(2);

  /** The time to wait for any other holder. On a busy machine a holder may not run for seconds. */
  static final long TIMEOUT_NANOS = TimeUnit.SECONDS.toNanos(10);

  /** The interval between checks for a stopped holder, after {@link #STOPPED_NANOS}. */
  private static final long LOOK_NANOS = TimeUnit.MILLISECONDS.toNanos(250);

  /** The layout of the lock file: the holder's pid as text for users, two flags, two numbers. */
  private static final int PID_BYTES = 20;

  private static final int UNFINISHED_AT = 20;
  private static final int WAITING_AT = 21;
  private static final int TAKEN_AT = 22;
  private static final int MARK_AT = 24;
  private static final int PAGE_BYTES = 32;

  /** The first pause between attempts; each further pause doubles. */
  private static final long FIRST_PAUSE_NANOS = 20_000;

  /** The longest pause during another process's turn. */
  private static final long LONGEST_PAUSE_NANOS = 1_000_000;

  /** The longest pause near the end of a turn. The pause shrinks with the time waited. */
  private static final long LAST_PAUSE_NANOS = 250_000;

  private static final long SHORTEST_PAUSE_NANOS = 50_000;
  private static final long LONG_WAIT_NANOS = TimeUnit.MILLISECONDS.toNanos(50);

  /** The time for which a process may take the lock repeatedly while other processes wait. */
  private static final long TURN_NANOS = TimeUnit.MILLISECONDS.toNanos(8);

  /** The pause in which the process then leaves the lock to other processes. */
  private static final long BREAK_NANOS = TimeUnit.MILLISECONDS.toNanos(2);

  private static final Map<Path, Shared> OPEN = new HashMap<>();
  private static final ReentrantLock REGISTRY = new ReentrantLock();

  private final Shared shared;
  private boolean closed;

  private StoreLock(Shared shared) {
    this.shared = shared;
  }

  /**
   * Opens the lock of a file, and creates the file if it is missing.
   *
   * @throws RalphException IO if the file can't be created or opened
   */
  public static StoreLock open(Path file) {
    REGISTRY.lock();
    try {
      Path key = keyOf(file);
      synchronized (jvmWide(key)) {
        PrivateFiles.createFile(file); // closes a channel of the file
      }
      Shared shared = OPEN.get(key);
      if (shared == null || !shared.isInPlace()) {
        shared = Shared.open(key); // earlier users keep a deleted file open
        OPEN.put(key, shared);
      }
      shared.users++;
      return new StoreLock(shared);
    } catch (IOException e) {
      throw PrivateFiles.failure("cannot open the lock file " + file, e);
    } finally {
      REGISTRY.unlock();
    }
  }

  /**
   * Returns the canonical path: several paths may lead to the folder. The lock file must not be a
   * link.
   */
  private static Path keyOf(Path file) throws IOException {
    Path absolute = file.toAbsolutePath();
    Path folder = absolute.getParent();
    return folder == null ? absolute : folder.toRealPath().resolve(absolute.getFileName());
  }

  /**
   * Returns a monitor that all class loaders share. Closing a channel in one class loader releases
   * the locks of all others, including locks acquired a moment ago. Therefore no thread may acquire
   * the lock during the close of a channel. The monitor is held for a few system calls at most.
   */
  private static Object jvmWide(Path key) {
    return ("dev.ralph.lock " + key).intern();
  }

  /** Acquires the lock; see {@link #acquire(long)}. */
  public void acquire() {
    acquire(System.nanoTime());
  }

  /**
   * Acquires the lock, and waits for it if necessary. An interrupt does not stop the wait; the
   * thread is interrupted afterwards.
   *
   * <p>The wait ends with an exception after two seconds if the same holder keeps the lock and is
   * stopped, for example by SIGSTOP. The wait ends after ten seconds if the holder runs, or if its
   * state is unknown. While holders alternate, the wait continues.
   *
   * @param since the time at which the caller began to wait, as {@link System#nanoTime}; the wait
   *     for the first holder is shorter by the time passed
   * @throws LockedException if another holder does not release the lock in time
   * @throws RalphException NOT_FOUND if the lock file was deleted, moved or replaced since it was
   *     opened, and therefore excludes no other process
   * @throws IllegalMonitorStateException if this thread already holds the lock
   */
  public void acquire(long since) {
    if (shared.mutex.isHeldByCurrentThread()) {
      throw new IllegalMonitorStateException("this thread already holds the store's lock");
    }
    Shared.LockTimeout timeout = shared.new LockTimeout(since);
    shared.lockMutex(timeout);
    boolean done = false;
    try {
      shared.lockFile(timeout, shared.leaveToOthers());
      done = true;
    } catch (IOException e) {
      throw PrivateFiles.failure("cannot lock " + shared.path, e);
    } finally {
      if (!done) {
        shared.mutex.unlock();
      }
    }
    if (!shared.isInPlace()) {
      release();
      throw gone(shared.path.getParent());
    }
  }

  /**
   * Returns the exception for a store removed from the opened location.
   *
   * @param directory the folder of the store
   */
  public static RalphException gone(@Nullable Path directory) {
    return RalphException.notFound(
        "the store "
            + directory
            + " was deleted, moved or replaced while in use; nothing more is"
            + " appended. Open the store at its new path, or restore it from a copy");
  }

  /** Acquires the lock if no thread holds it, including this thread. Returns false otherwise. */
  public boolean tryAcquire() {
    if (shared.mutex.isHeldByCurrentThread() || !shared.mutex.tryLock()) {
      return false;
    }
    boolean done = false;
    try {
      done = shared.tryLockFile();
    } catch (IOException e) {
      return false;
    } finally {
      if (!done) {
        shared.mutex.unlock();
      }
    }
    if (done && !shared.isInPlace()) {
      release();
      return false;
    }
    return done;
  }

  /**
   * Returns the number that any process last stored by {@link #mark(long)}; 0 initially. The store
   * defines the number. The number is in memory that the processes share, so storing it causes no
   * event of the file, and a crash of the machine may lose it. Without the lock the number may be
   * about to change.
   */
  public long mark() {
    return shared.page.getLong(MARK_AT);
  }

  /** Stores a number with the lock. The caller must hold the lock. */
  public void mark(long number) {
    shared.page.putLong(MARK_AT, number);
  }

  /**
   * Returns true if a holder in any process began an operation that the next holder has to
   * complete. The caller must hold the lock. A crash of the machine may lose this flag.
   */
  public boolean isUnfinished() {
    return shared.page.get(UNFINISHED_AT) != 0;
  }

  /** Sets or clears the flag for an incomplete operation. The caller must hold the lock. */
  public void unfinished(boolean unfinished) {
    shared.page.put(UNFINISHED_AT, (byte) (unfinished ? 1 : 0));
  }

  /** Releases the lock. */
  public void release() {
    try {
      shared.unlockFile();
    } finally {
      shared.mutex.unlock();
    }
  }

  /**
   * Closes this user's share of the file; the last user closes the file. The lock must not be held.
   */
  @Override
  public void close() {
    REGISTRY.lock();
    try {
      if (closed) {
        return;
      }
      closed = true;
      shared.users--;
      if (shared.users == 0 && shared.closeFile()) {
        OPEN.remove(shared.path, shared);
      }
    } finally {
      REGISTRY.unlock();
    }
  }

  /** The state that all users of a lock file share within this class loader. */
  private static final class Shared {
    private final Path path;
    private final Object jvmWide;
    private final RandomAccessFile file;

    /** The identity of the opened file; null if the platform can't tell. */
    private final @Nullable FileIdentity identity;

    private final ReentrantLock mutex = new ReentrantLock();
    private final byte[] pid;

    /** The first eight characters of the pid, which hold the whole pid. */
    private final long pidBegin;

    private final MappedByteBuffer page;
    private @Nullable FileLock lock;
    private int users;

    /** The time of the lock's last transfer from or to another process. */
    private long turnSince = System.nanoTime();

    /** True if other processes waited while this process acquired the lock repeatedly. */
    private boolean isTurnOver;

    Shared(Path path, RandomAccessFile file) throws IOException {
      this.path = path;
      this.file = file;
      this.jvmWide = jvmWide(path);
      this.identity = FileIdentity.of(path);
      this.page = page(file);
      String text = Long.toString(OwnPid.VALUE);
      this.pid =
          (text + " ".repeat(PID_BYTES - 1 - text.length()) + "\n")
              .getBytes(StandardCharsets.US_ASCII);
      this.pidBegin = ByteBuffer.wrap(pid).getLong();
    }

    /** Opens the file. An interrupt, which would close the file, is deferred. */
    static Shared open(Path path) throws IOException {
      boolean interrupted = false;
      try {
        while (true) {
          interrupted |= Thread.interrupted();
          RandomAccessFile file = PrivateFiles.openInPlace(path);
          try {
            return new Shared(path, file);
          } catch (ClosedByInterruptException e) {
            interrupted = true;
          } catch (IOException e) {
            // safe: no other user in this JVM has the file open, or OPEN would contain it
            file.close();
            throw e;
          }
        }
      } finally {
        if (interrupted) {
          Thread.currentThread().interrupt();
        }
      }
    }

    /**
     * Maps the beginning of the lock file into memory that all processes share. Changes on each
     * append need no system call.
     */
    private static MappedByteBuffer page(RandomAccessFile file) throws IOException {
      long length = file.length();
      if (length < PAGE_BYTES) {
        file.seek(length);
        file.write(new byte[(int) (PAGE_BYTES - length)]); // allocates disk space for the page
      }
      try {
        return file.getChannel().map(FileChannel.MapMode.READ_WRITE, 0, PAGE_BYTES);
      } catch (ClosedByInterruptException e) {
        throw e;
      } catch (IOException e) {
        throw new IOException(
            "its file system does not support shared memory mappings ("
                + e.getMessage()
                + "); move the store to a file system that supports them",
            e);
      }
    }

    /** Returns true if the opened file is still at its path. */
    boolean isInPlace() {
      FileIdentity opened = identity;
      return opened == null || opened.isSameFile(FileIdentity.of(path));
    }

    void lockMutex(LockTimeout timeout) {
      boolean interrupted = false;
      try {
        while (true) {
          try {
            if (mutex.tryLock() || mutex.tryLock(timeout.nanosLeft(), TimeUnit.NANOSECONDS)) {
              return;
            }
            timeout.check();
          } catch (InterruptedException e) {
            interrupted = true;
          }
        }
      } finally {
        if (interrupted) {
          Thread.currentThread().interrupt();
        }
      }
    }

    /**
     * Retries until the lock is acquired or the wait times out, at least once. A blocking lock
     * would fail on an interrupt.
     *
     * @param isLeft whether this process just left the lock to another process; the first attempt
     *     then follows a pause
     */
    void lockFile(LockTimeout timeout, boolean isLeft) throws IOException {
      if (!isLeft && tryLockFile()) {
        return;
      }
      boolean interrupted = false;
      long pause = FIRST_PAUSE_NANOS;
      try {
        while (true) {
          timeout.check();
          page.put(WAITING_AT, (byte) 1);
          interrupted |= Thread.interrupted();
          LockSupport.parkNanos(this, pause);
          if (!timeout.isWithinTurn() && tryLockFile()) {
            page.put(WAITING_AT, (byte) 0); // other waiting processes set the flag again
            return;
          }
          pause = Math.min(pause * 2, timeout.longestPause());
        }
      } finally {
        if (interrupted) {
          Thread.currentThread().interrupt();
        }
      }
    }

    /** The timeout of a caller, restarted for each new holder. */
    private final class LockTimeout {
      private final long begun;
      private long turnSince = System.nanoTime();
      private long since;
      private long lookAt;
      private long holder = page.getLong(0);
      private short taken = page.getShort(TAKEN_AT);

      LockTimeout(long since) {
        this.begun = since;
        this.since = since;
        this.lookAt = since + STOPPED_NANOS;
      }

      /** Returns the time until {@link #check} may throw, in nanoseconds. */
      long nanosLeft() {
        return lookAt - System.nanoTime();
      }

      /**
       * Checks the timeout.
       *
       * @throws LockedException if the same holder has had the lock for too long
       */
      void check() {
        long now = System.nanoTime();
        if (holder != page.getLong(0) || taken != page.getShort(TAKEN_AT)) {
          turnSince = holder == page.getLong(0) ? turnSince : now;
          holder = page.getLong(0);
          taken = page.getShort(TAKEN_AT);
          since = now;
          lookAt = now + STOPPED_NANOS;
        }
        if (now - lookAt < 0) {
          return;
        }
        lookAt = now + LOOK_NANOS;
        long pid = holder();
        boolean isStopped = LockHolder.isStopped(pid);
        if (isStopped || now - since >= TIMEOUT_NANOS) {
          throw locked(pid, isStopped);
        }
      }

      long longestPause() {
        long now = System.nanoTime();
        return now - turnSince < TURN_NANOS - LONGEST_PAUSE_NANOS
            ? LONGEST_PAUSE_NANOS
            : Math.max(
                SHORTEST_PAUSE_NANOS,
                LAST_PAUSE_NANOS * LONG_WAIT_NANOS / Math.max(LONG_WAIT_NANOS, now - begun));
      }

      /**
       * Returns true if another process acquires the lock repeatedly and its turn has not ended.
       * Interrupting its turn would slow down both processes.
       */
      boolean isWithinTurn() {
        short now = page.getShort(TAKEN_AT);
        long by = page.getLong(0);
        boolean isLeft = page.get(WAITING_AT) == 0 && by == holder;
        if (isLeft || now == taken) {
          return false; // the holder pauses, is idle, or was killed
        }
        if (by == holder && isHeld(now)) {
          return true;
        }
        LockSupport.parkNanos(Shared.this, FIRST_PAUSE_NANOS);
        return now != page.getShort(TAKEN_AT) && by == page.getLong(0);
      }
    }

    private static boolean isHeld(short taken) {
      return (taken & 1) != 0;
    }

    /**
     * Leaves the lock to waiting processes after this process had its turn. A process that acquires
     * the lock again at once would hardly ever leave it free for them.
     *
     * @return whether another process holds the lock now
     */
    boolean leaveToOthers() {
      if (!isTurnOver) {
        return false;
      }
      isTurnOver = false;
      boolean interrupted = false;
      long end = System.nanoTime() + BREAK_NANOS;
      while (isHolderOwn() && System.nanoTime() - end < 0) {
        interrupted |= Thread.interrupted();
        LockSupport.parkNanos(this, FIRST_PAUSE_NANOS);
      }
      turnSince = System.nanoTime();
      if (interrupted) {
        Thread.currentThread().interrupt();
      }
      return !isHolderOwn();
    }

    private boolean tryLockFile() throws IOException {
      synchronized (jvmWide) {
        try {
          lock = file.getChannel().tryLock();
        } catch (OverlappingFileLockException e) {
          return false; // this JVM holds it through another class loader
        }
      }
      if (lock == null) {
        return false;
      }
      page.putShort(TAKEN_AT, (short) (page.getShort(TAKEN_AT) + 1 | 1));
      if (!isHolderOwn()) {
        page.put(0, pid); // names the holder in the exceptions of waiting processes
        turnSince = System.nanoTime();
      }
      return true;
    }

    void unlockFile() {
      FileLock held = lock;
      lock = null;
      if (held == null) {
        throw new IllegalMonitorStateException("the store's lock is not held");
      }
      if (page.get(WAITING_AT) != 0 && System.nanoTime() - turnSince >= TURN_NANOS) {
        page.put(WAITING_AT, (byte) 0);
        isTurnOver = true;
      }
      page.putShort(TAKEN_AT, (short) (page.getShort(TAKEN_AT) + 1));
      try {
        held.release();
      } catch (IOException e) {
        throw PrivateFiles.failure("cannot unlock " + path, e);
      }
    }

    /** Returns true if this process was the last to acquire the lock. */
    private boolean isHolderOwn() {
      return page.getLong(0) == pidBegin;
    }

    /**
     * Returns the pid of the process that holds the lock, or else the pid in the file; 0 if
     * unknown.
     */
    private long holder() {
      long holder = LockHolder.of(path);
      if (holder != 0) {
        return holder;
      }
      byte[] text = new byte[PID_BYTES];
      page.get(0, text);
      try {
        return Long.parseLong(new String(text, StandardCharsets.US_ASCII).trim());
      } catch (NumberFormatException e) {
        return 0;
      }
    }

    private LockedException locked(long holder, boolean isStopped) {
      String process = "process " + (holder == 0 ? "(unknown)" : holder);
      return new LockedException(
          "the store's lock "
              + path
              + " is held by "
              + process
              + (isStopped
                  ? ", which is stopped. Resume or end the process, then try again"
                  : ", which did not release the lock within 10 seconds. Wait or end the process,"
                      + " then try again"),
          holder);
    }

    /**
     * Closes the file, unless this JVM holds the lock through another class loader, which would
     * lose the lock. A file left open serves the next user.
     *
     * @return whether the file was closed
     */
    boolean closeFile() {
      mutex.lock();
      try {
        long deadline = System.nanoTime() + STOPPED_NANOS;
        while (!closeUnlessHeldInThisJvm()) {
          if (System.nanoTime() - deadline >= 0) {
            return false;
          }
          LockSupport.parkNanos(this, LONGEST_PAUSE_NANOS);
        }
      } catch (IOException e) {
        System.getLogger(StoreLock.class.getName())
            .log(System.Logger.Level.WARNING, "cannot close " + path, e);
      } finally {
        mutex.unlock();
      }
      return true;
    }

    private boolean closeUnlessHeldInThisJvm() throws IOException {
      synchronized (jvmWide) {
        try {
          // the lock belongs to another process, or to this process and is released by the close
          file.getChannel().tryLock();
        } catch (OverlappingFileLockException e) {
          return false;
        }
        file.close();
        return true;
      }
    }
  }
}
