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
 * The right to append to a store: one holder among all threads of all processes.
 *
 * <p>The operating system gives a lock on a file to a process, not to a thread, and takes it away
 * as soon as the process closes <em>any</em> channel of that file. So there is one lock file for
 * each store, used for nothing else and never deleted, and one channel of it in each JVM, shared by
 * all who have the store open, with a mutex for the threads. A killed holder costs nothing: the
 * system lets go for it. A stopped one is named to those who wait in vain; its pid stands in the
 * lock file.
 */
public final class StoreLock implements AutoCloseable {

  /** How long to wait for a holder that is stopped before giving up. */
  public static final long STOPPED_NANOS = TimeUnit.SECONDS.toNanos(2);

  /** The same for any other: on a busy machine a holder may not get to run for seconds. */
  static final long TIMEOUT_NANOS = TimeUnit.SECONDS.toNanos(10);

  /** How often it is looked whether the holder is stopped, once that matters. */
  private static final long LOOK_NANOS = TimeUnit.MILLISECONDS.toNanos(250);

  /** The file's beginning: the holder's pid as text, for people to read; two flags; two numbers. */
  private static final int PID_BYTES = 20;

  private static final int UNFINISHED_AT = 20;
  private static final int WAITING_AT = 21;
  private static final int TAKEN_AT = 22;
  private static final int MARK_AT = 24;
  private static final int PAGE_BYTES = 32;

  /** How long one who waits sleeps at first; then longer and longer. */
  private static final long FIRST_PAUSE_NANOS = 20_000;

  /** How long at most, while another process has its turn. */
  private static final long LONGEST_PAUSE_NANOS = 1_000_000;

  /** How long at most when that turn ends: the less, the longer it has waited. */
  private static final long LAST_PAUSE_NANOS = 250_000;

  private static final long SHORTEST_PAUSE_NANOS = 50_000;
  private static final long LONG_WAIT_NANOS = TimeUnit.MILLISECONDS.toNanos(50);

  /** How long a process may go on taking the lock while others wait for it. */
  private static final long TURN_NANOS = TimeUnit.MILLISECONDS.toNanos(8);

  /** How long it then leaves the lock to them. */
  private static final long BREAK_NANOS = TimeUnit.MILLISECONDS.toNanos(2);

  private static final Map<Path, Shared> OPEN = new HashMap<>();
  private static final ReentrantLock REGISTRY = new ReentrantLock();

  private final Shared shared;
  private boolean closed;

  private StoreLock(Shared shared) {
    this.shared = shared;
  }

  /**
   * Opens the lock of that file, which is made if it is missing.
   *
   * @throws RalphException IO if the file can't be made or opened
   */
  public static StoreLock open(Path file) {
    REGISTRY.lock();
    try {
      Path key = keyOf(file);
      synchronized (jvmWide(key)) {
        PrivateFiles.createFile(file); // which closes it again
      }
      Shared shared = OPEN.get(key);
      if (shared == null || !shared.isThere()) {
        shared = Shared.open(key); // one that was deleted is left to those who have it open
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

  /** The folder may be reached by several paths; the lock file itself must not be a link. */
  private static Path keyOf(Path file) throws IOException {
    Path absolute = file.toAbsolutePath();
    Path folder = absolute.getParent();
    return folder == null ? absolute : folder.toRealPath().resolve(absolute.getFileName());
  }

  /**
   * Returns a monitor that all class loaders share. A channel that is closed in one of them takes
   * the lock from the others, also one that they took a moment ago; so nobody takes the lock while
   * a channel is being closed. Never held for longer than a few calls of the system.
   */
  private static Object jvmWide(Path key) {
    return ("dev.ralph.lock " + key).intern();
  }

  /** Waits for the lock and takes it; see {@link #acquire(long)}. */
  public void acquire() {
    acquire(System.nanoTime());
  }

  /**
   * Waits for the lock and takes it. Not stopped by an interrupt, which stays pending.
   *
   * <p>Gives up when the same holder has had the lock for two seconds and is stopped, as by
   * SIGSTOP, or for ten seconds and is not, or where nobody can tell. As long as others take turns
   * it waits on.
   *
   * @param since when the caller began to wait, on the scale of {@link System#nanoTime}: it is
   *     waited that much shorter for the first holder
   * @throws LockedException if another holder does not let go in time
   * @throws RalphException NOT_FOUND if the lock file was deleted, moved or replaced since it was
   *     opened: it excludes nobody any more
   * @throws IllegalMonitorStateException if this thread holds it already
   */
  public void acquire(long since) {
    if (shared.mutex.isHeldByCurrentThread()) {
      throw new IllegalMonitorStateException("this thread holds the store's lock already");
    }
    Shared.Patience patience = shared.new Patience(since);
    shared.lockMutex(patience);
    boolean done = false;
    try {
      shared.lockFile(patience, shared.takeABreak());
      done = true;
    } catch (IOException e) {
      throw PrivateFiles.failure("cannot lock " + shared.path, e);
    } finally {
      if (!done) {
        shared.mutex.unlock();
      }
    }
    if (!shared.isThere()) {
      release();
      throw gone(shared.path.getParent());
    }
  }

  /** Returns the failure to report for a store that is not where it was opened. */
  public static RalphException gone(@Nullable Path directory) {
    return RalphException.notFound(
        "the store "
            + directory
            + " was deleted, moved or replaced while it was in use; nothing is appended there any"
            + " more. Open it where it is now, or restore it from a copy");
  }

  /** Takes the lock if nobody holds it, this thread included; returns whether it did. */
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
    if (done && !shared.isThere()) {
      release();
      return false;
    }
    return done;
  }

  /**
   * Returns the number that was last left with the lock by {@link #mark(long)}, by any process; 0
   * at first. Without the lock it is but a hint: the holder may be about to change it.
   */
  public long mark() {
    return shared.page.getLong(MARK_AT);
  }

  /** Leaves a number with the lock. Only while the lock is held. */
  public void mark(long number) {
    shared.page.putLong(MARK_AT, number);
  }

  /**
   * Returns whether a holder, of any process, began something that the next holder has to finish.
   * Only while the lock is held. A crash of the machine may lose it.
   */
  public boolean isUnfinished() {
    return shared.page.get(UNFINISHED_AT) != 0;
  }

  /** Leaves word that something is to be finished, or no longer. Only while the lock is held. */
  public void unfinished(boolean unfinished) {
    shared.page.put(UNFINISHED_AT, (byte) (unfinished ? 1 : 0));
  }

  /** Lets go of the lock. */
  public void release() {
    try {
      shared.unlockFile();
    } finally {
      shared.mutex.unlock();
    }
  }

  /**
   * Closes this user's share; the last one closes the file. Must not be called while it is held.
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

  /** What all users of one lock file in this JVM (more exactly: this class loader) share. */
  private static final class Shared {
    private final Path path;
    private final Object jvmWide;
    private final RandomAccessFile file;

    /** The file as it was opened; null where that can't be found out. */
    private final @Nullable FileIdentity identity;

    private final ReentrantLock mutex = new ReentrantLock();
    private final byte[] pid;

    /** Its first eight characters, behind which no pid goes on. */
    private final long pidBegin;

    private final MappedByteBuffer page;
    private @Nullable FileLock lock;
    private int users;

    /** When this process took the lock from another one, or left it to others. */
    private long turnSince = System.nanoTime();

    /** Whether others have waited while this process took the lock again and again. */
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

    /** Opens the file; an interrupt, which would close it again, waits until that is done. */
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
            file.close(); // nobody of this JVM has it open: else it would be found among those
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
     * Returns the beginning of the lock file as memory that all processes share: what is left there
     * with each append costs no call of the system.
     */
    private static MappedByteBuffer page(RandomAccessFile file) throws IOException {
      long length = file.length();
      if (length < PAGE_BYTES) {
        file.seek(length);
        file.write(
            new byte[(int) (PAGE_BYTES - length)]); // so that the page has a place on the disk
      }
      try {
        return file.getChannel().map(FileChannel.MapMode.READ_WRITE, 0, PAGE_BYTES);
      } catch (ClosedByInterruptException e) {
        throw e;
      } catch (IOException e) {
        throw new IOException(
            "its file system does not let processes share memory by it ("
                + e.getMessage()
                + "); keep the store on another one",
            e);
      }
    }

    /** Returns whether the file that is open here still stands where it was opened. */
    boolean isThere() {
      FileIdentity opened = identity;
      return opened == null || opened.isSameFile(FileIdentity.of(path));
    }

    void lockMutex(Patience patience) {
      boolean interrupted = false;
      try {
        while (true) {
          try {
            if (mutex.tryLock() || mutex.tryLock(patience.nanosLeft(), TimeUnit.NANOSECONDS)) {
              return;
            }
            patience.check();
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
     * Tries as long as there is patience, at least once. A blocking lock would be at the mercy of
     * interrupts.
     *
     * @param isLeft whether the lock was just left to another process, so that it is not tried for
     *     at once
     */
    void lockFile(Patience patience, boolean isLeft) throws IOException {
      if (!isLeft && tryLockFile()) {
        return;
      }
      boolean interrupted = false;
      long pause = FIRST_PAUSE_NANOS;
      try {
        while (true) {
          patience.check();
          page.put(WAITING_AT, (byte) 1);
          interrupted |= Thread.interrupted();
          LockSupport.parkNanos(this, pause);
          if (!patience.isAmidTurn() && tryLockFile()) {
            page.put(WAITING_AT, (byte) 0); // if others wait, they say so again
            return;
          }
          pause = Math.min(pause * 2, patience.longestPause());
        }
      } finally {
        if (interrupted) {
          Thread.currentThread().interrupt();
        }
      }
    }

    /** How long one caller goes on waiting, which begins again with each new holder. */
    private final class Patience {
      private final long begun;
      private long turnSince = System.nanoTime();
      private long since;
      private long lookAt;
      private long holder = page.getLong(0);
      private short taken = page.getShort(TAKEN_AT);

      Patience(long since) {
        this.begun = since;
        this.since = since;
        this.lookAt = since + STOPPED_NANOS;
      }

      /** Returns how long it is until {@link #check} has something to do. */
      long nanosLeft() {
        return lookAt - System.nanoTime();
      }

      /**
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
       * Returns whether another process takes the lock again and again, and has not left it to
       * others yet. To come in between would cost both more than to wait.
       */
      boolean isAmidTurn() {
        short now = page.getShort(TAKEN_AT);
        long by = page.getLong(0);
        boolean isLeft = page.get(WAITING_AT) == 0 && by == holder;
        if (isLeft || now == taken) {
          return false; // the holder takes a break, or does nothing, or was killed
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
     * Leaves the lock to those who wait for it, once this process has had its turn: who takes it
     * again at once would hardly ever be found without it.
     *
     * @return whether another process has it now
     */
    boolean takeABreak() {
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
          return false; // held by this JVM through another class loader
        }
      }
      if (lock == null) {
        return false;
      }
      page.putShort(TAKEN_AT, (short) (page.getShort(TAKEN_AT) + 1 | 1));
      if (!isHolderOwn()) {
        page.put(0, pid); // word of who holds the lock, for those who wait in vain
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

    /** Returns whether this process is the one that took the lock last. */
    private boolean isHolderOwn() {
      return page.getLong(0) == pidBegin;
    }

    /** Returns the process that holds the lock, or else the one that left its pid; 0 if unknown. */
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
                  ? ", which is stopped. Resume or end it, then try again"
                  : ", which did not let go within 10 seconds. Wait for it or end it, then try"
                      + " again"),
          holder);
    }

    /**
     * Closes the file, but not while this JVM holds the lock through another class loader, which
     * would lose it by that. A file that must stay open is there for the next user.
     *
     * @return whether it is closed
     */
    boolean closeFile() {
      mutex.lock();
      try {
        long deadline = System.nanoTime() + STOPPED_NANOS;
        while (!closeUnlessHeldElsewhereInThisJvm()) {
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

    private boolean closeUnlessHeldElsewhereInThisJvm() throws IOException {
      synchronized (jvmWide) {
        try {
          file.getChannel().tryLock(); // ours, to go with the file, or another process's
        } catch (OverlappingFileLockException e) {
          return false;
        }
        file.close();
        return true;
      }
    }
  }
}
