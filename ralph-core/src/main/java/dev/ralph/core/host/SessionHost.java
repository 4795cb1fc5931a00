package dev.ralph.core.host;

import dev.ralph.Control;
import dev.ralph.Loop;
import dev.ralph.LoopResult;
import dev.ralph.Ralph;
import dev.ralph.domain.ProcessIdentity;
import dev.ralph.log.Follower;
import dev.ralph.log.Frame;
import dev.ralph.log.RalphException;
import java.lang.System.Logger.Level;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Collections;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.TreeSet;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.locks.Condition;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.Consumer;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/**
 * Takes sessions that are {@linkplain SessionOffers#put offered} and that no loop works on, and
 * runs their loops, several at once. Any number of hosts share the sessions of a store; each
 * session is one host's at a time, by its loop's claim. A host whose machine dies is followed by
 * another one once its lease is over.
 *
 * <pre>{@code
 * try (SessionHost host =
 *     SessionHost.builder(ralph, work -> work.session().loop(agent).gate(tests))
 *         .folder(Path.of("/var/lib/ralph"))
 *         .repository("https://git.example/team/")
 *         .sessions(2)
 *         .build()) {
 *   host.run();
 * }
 * }</pre>
 *
 * <p>A session with a repository is worked on in a Git work tree of the branch {@code
 * ralph/SESSION}. What each iteration left is committed and pushed to that branch; a session is
 * complete only once that has worked. One without a repository has a folder.
 *
 * <p>{@link #run()} is for one thread; {@link #close()} is for any.
 */
public final class SessionHost implements AutoCloseable {

  /** What happened on a host. */
  public enum Happening {
    /** It works on a session. */
    TAKEN,
    /** The loop of a session has ended. */
    ENDED,
    /** A session could not be run here; after some time it is tried again. */
    FAILED,
    /** Something that a person should know. */
    NOTICE
  }

  /**
   * Something that happened.
   *
   * @param session its name, or null where it concerns the host
   * @param message for people
   * @param result how the loop has ended; null for anything else
   */
  public record Event(
      Happening type,
      @Nullable String session,
      Instant time,
      String message,
      @Nullable LoopResult result) {}

  private static final System.Logger LOG = System.getLogger(SessionHost.class.getPackageName());

  /** How long it looks at nothing where nobody says that something has changed. */
  private static final Duration LONGEST_WAIT = Duration.ofMinutes(1);

  /** How soon it looks again at what says nothing when it changes, such as a paused session. */
  private static final Duration LOOK_AGAIN = Duration.ofSeconds(5);

  private static final Duration SHORTEST_WAIT = Duration.ofMillis(100);
  private static final Duration FIRST_BACKOFF = Duration.ofMinutes(1);
  private static final int MOST_DOUBLED = 6;

  private final Ralph ralph;
  private final SessionOffers offers;
  private final Function<SessionWork, Loop.Builder> loops;
  private final Path folder;
  private final Repositories repositories;
  private final TreeSet<String> labels;
  private final int most;
  private final List<Consumer<Event>> listeners;
  private final String name = ProcessIdentity.current().host();
  private final AtomicBoolean begun = new AtomicBoolean();

  /** Held while listeners are called, one event at a time; nothing else is held then. */
  private final ReentrantLock telling = new ReentrantLock();

  /** Guards what follows; nothing is called while it is held that may wait. */
  private final ReentrantLock lock = new ReentrantLock();

  private final Condition changed = lock.newCondition();
  private final Map<String, SessionRun> runs = new HashMap<>();
  private final Map<String, Instant> notBefore = new HashMap<>();
  private @Nullable Follower follower;
  private @Nullable Error error;
  private boolean closing;

  /** Whether {@link #run} is under way. */
  private boolean running;

  private SessionHost(Builder builder) {
    this.ralph = builder.ralph;
    this.offers = SessionOffers.of(ralph);
    this.loops = builder.loops;
    this.folder = builder.folder.toAbsolutePath().normalize();
    this.repositories = new Repositories(builder.repositories);
    this.labels = new TreeSet<>(builder.labels);
    this.most = builder.sessions;
    this.listeners = List.copyOf(builder.listeners);
  }

  /**
   * Begins to set up a host.
   *
   * @param loops sets up the loop of a session that was taken, on the thread that works on it. Its
   *     folder is set afterwards, and so is that it does not stand by. What it throws counts as a
   *     failure of the session on this host
   */
  public static Builder builder(Ralph ralph, Function<SessionWork, Loop.Builder> loops) {
    return new Builder(
        Objects.requireNonNull(ralph, "ralph"), Objects.requireNonNull(loops, "loops"));
  }

  /**
   * Takes sessions and runs them until the host is {@linkplain #close closed}. A store that can't
   * be reached is waited for.
   *
   * @throws InterruptedException if the thread is interrupted; the host has ended then
   * @throws RalphException what the log throws; INVALID if it was called before. The host has ended
   *     then
   * @throws Error if a loop or a listener throws one; the host has ended then
   */
  public void run() throws InterruptedException {
    if (!begun.compareAndSet(false, true)) {
      throw RalphException.invalid("a host runs once; make another one");
    }
    lock.lock();
    try {
      running = true;
    } finally {
      lock.unlock();
    }
    try {
      serve();
    } finally {
      finish();
    }
    Error thrown = error;
    if (thrown != null) {
      throw thrown;
    }
  }

  private void serve() throws InterruptedException {
    boolean isLost = false;
    while (!isClosing()) {
      try (Follower follower = offers.follow()) {
        follow(follower);
        while (!isClosing()) {
          Duration wait = look();
          if (isLost) {
            isLost = false;
            tell(Happening.NOTICE, null, "the store can be reached again", null);
          }
          Frame frame = follower.poll(wait);
          while (frame != null) {
            frame = follower.poll(Duration.ZERO);
          }
        }
      } catch (RalphException e) {
        if (e.code() != RalphException.Code.UNAVAILABLE) {
          throw e;
        }
        if (!isLost) {
          isLost = true;
          tell(Happening.NOTICE, null, "waiting for the store: " + e.getMessage(), null);
        }
        pause();
      } finally {
        follow(null);
      }
    }
  }

  private void follow(@Nullable Follower next) {
    lock.lock();
    try {
      follower = next;
    } finally {
      lock.unlock();
    }
  }

  private void pause() throws InterruptedException {
    lock.lock();
    try {
      if (!closing) {
        changed.awaitNanos(TimeUnit.SECONDS.toNanos(1));
      }
    } finally {
      lock.unlock();
    }
  }

  private boolean isClosing() {
    lock.lock();
    try {
      return closing;
    } finally {
      lock.unlock();
    }
  }

  /** Takes what there is to take; returns how long to wait before the next look. */
  private Duration look() {
    Instant now = ralph.clock().instant();
    Instant next = now.plus(LONGEST_WAIT);
    List<String> names = new ArrayList<>(offers.names());
    Collections.shuffle(names); // or all hosts would reach for the same one
    for (String each : names) {
      if (!hasSeat(each)) {
        continue;
      }
      Instant again = consider(each, now);
      next = again != null && again.isBefore(next) ? again : next;
    }
    Duration wait = Duration.between(ralph.clock().instant(), next);
    return wait.compareTo(SHORTEST_WAIT) < 0 ? SHORTEST_WAIT : wait;
  }

  private boolean hasSeat(String session) {
    lock.lock();
    try {
      return !closing && runs.size() < most && !runs.containsKey(session);
    } finally {
      lock.unlock();
    }
  }

  /** Takes a session if it can; returns when to look at it again, null for when it changes. */
  private @Nullable Instant consider(String session, Instant now) {
    OfferedSession offered = offers.find(session).orElse(null);
    if (offered == null || !offered.isOpen()) {
      offers.close(session); // it was deleted, or who ended it was killed between two frames
      return null;
    }
    SessionOffer offer = offered.offer();
    String repository = offer.repository();
    if (!labels.containsAll(offer.labels())
        || repository != null && !repositories.allow(repository)) {
      return null;
    }
    Control control = ralph.session(session).control();
    Control.RunningLoop loop = control.running().orElse(null);
    if (loop != null && loop.live()) {
      Instant until = loop.until();
      return until == null || !until.isAfter(now) ? now.plus(LOOK_AGAIN) : until;
    }
    if (offers.endIfCompleted(ralph.session(session), offered)) {
      return null;
    }
    Instant backoff = notBefore(session, offered);
    if (backoff.isAfter(now)) {
      return backoff;
    }
    if (control.isPaused()) {
      return now.plus(LOOK_AGAIN);
    }
    String from = loop == null || loop.host().equals(name) ? null : loop.host();
    start(new SessionRun(this, ralph.session(session), offered, from));
    return null;
  }

  private Instant notBefore(String session, OfferedSession offered) {
    OfferedSession.Failures failures = offered.failuresOf(name);
    Instant own = notBefore.getOrDefault(session, Instant.MIN);
    if (failures == null) {
      return own;
    }
    int doubled = Math.min(failures.count() - 1, MOST_DOUBLED);
    Instant logged = failures.last().plus(FIRST_BACKOFF.multipliedBy(1L << doubled));
    return logged.isAfter(own) ? logged : own;
  }

  private void start(SessionRun run) {
    lock.lock();
    try {
      if (closing) {
        return;
      }
      runs.put(run.name(), run);
    } finally {
      lock.unlock();
    }
    run.start();
  }

  // ---- for the runs

  Ralph ralph() {
    return ralph;
  }

  SessionOffers offers() {
    return offers;
  }

  Path folder() {
    return folder;
  }

  Loop.Builder loop(SessionWork work) {
    return Objects.requireNonNull(loops.apply(work), "the loop of a session");
  }

  /**
   * Takes note that a run has ended.
   *
   * @param thrown what it must not throw, or null
   * @param again whether to wait before this host tries the session again
   */
  void ended(SessionRun run, @Nullable Error thrown, boolean again) {
    Instant next = again ? ralph.clock().instant().plus(LOOK_AGAIN) : Instant.MIN;
    lock.lock();
    try {
      runs.remove(run.name());
      notBefore.put(run.name(), next);
      if (thrown != null && error == null) {
        error = thrown;
        closing = true;
      }
      changed.signalAll();
      if (follower != null) {
        follower.wakeup();
      }
    } finally {
      lock.unlock();
    }
  }

  /** Tells the listeners, unless one of them is being told something by this thread. */
  void tell(Happening type, @Nullable String session, String message, @Nullable LoopResult result) {
    Event event = new Event(type, session, ralph.clock().instant(), message, result);
    telling.lock();
    try {
      for (Consumer<Event> listener : listeners) {
        try {
          listener.accept(event);
        } catch (RuntimeException e) {
          LOG.log(Level.WARNING, "a listener of the host failed", e);
        }
      }
    } finally {
      telling.unlock();
    }
  }

  // ---- the end

  /** Lets the loops end, and waits for them. An interrupt does not cut that short. */
  private void finish() {
    cancel();
    boolean interrupted = false;
    lock.lock();
    try {
      while (!runs.isEmpty()) {
        try {
          changed.await();
        } catch (InterruptedException e) {
          interrupted = true;
        }
      }
      running = false;
      changed.signalAll();
    } finally {
      lock.unlock();
      if (interrupted) {
        Thread.currentThread().interrupt();
      }
    }
  }

  private void cancel() {
    List<SessionRun> all;
    lock.lock();
    try {
      closing = true;
      all = List.copyOf(runs.values());
      changed.signalAll();
      if (follower != null) {
        follower.wakeup();
      }
    } finally {
      lock.unlock();
    }
    all.forEach(SessionRun::cancel);
  }

  /**
   * Ends the host: its loops are cancelled, what their agents left is committed and pushed, and the
   * sessions are free for other hosts. Waits for that, unless it is called by a listener of the
   * host or of a loop; an agent and a gate must not call it. Closing again does nothing more.
   */
  @Override
  public void close() {
    cancel();
    boolean interrupted = false;
    lock.lock();
    try {
      while (running && !telling.isHeldByCurrentThread() && !isOfRun()) {
        try {
          changed.await();
        } catch (InterruptedException e) {
          interrupted = true;
        }
      }
    } finally {
      lock.unlock();
      if (interrupted) {
        Thread.currentThread().interrupt();
      }
    }
  }

  private boolean isOfRun() {
    return runs.values().stream().anyMatch(SessionRun::isCurrentThread);
  }

  /** Sets up a host. For one thread. */
  public static final class Builder {

    private final Ralph ralph;
    private final Function<SessionWork, Loop.Builder> loops;
    private final List<String> repositories = new ArrayList<>();
    private final List<String> labels = new ArrayList<>();
    private final List<Consumer<Event>> listeners = new ArrayList<>();
    private Path folder = Path.of(".ralph", "hosted");
    private int sessions = 1;

    private Builder(Ralph ralph, Function<SessionWork, Loop.Builder> loops) {
      this.ralph = ralph;
      this.loops = loops;
    }

    /**
     * Sets the folder below which each session has one of its own; {@code .ralph/hosted} if not
     * set. Hosts of one machine that run at the same time may share it.
     */
    public Builder folder(Path folder) {
      this.folder = Objects.requireNonNull(folder, "folder");
      return this;
    }

    /**
     * Lets the host fetch a repository: that of exactly this address, or each whose address begins
     * so, if this ends with a slash or a colon. Sessions with other repositories are not taken, and
     * if none is named, none with a repository.
     */
    public Builder repository(String address) {
      repositories.add(Objects.requireNonNull(address, "address"));
      return this;
    }

    /**
     * Says what the host can do: it takes sessions that ask for no label, or only for such.
     *
     * @throws RalphException INVALID if it can't be a label
     */
    public Builder label(String label) {
      labels.add(SessionOffer.requireLabel(label));
      return this;
    }

    /** Sets how many sessions it runs at once; 1 if not set. */
    public Builder sessions(int most) {
      this.sessions = most;
      return this;
    }

    /**
     * Adds a listener. It is called on the host's threads, one event at a time, and should return
     * soon. An exception that it throws is logged and changes nothing. What happens in a loop is
     * told to the {@linkplain Loop.Builder#onEvent loop's} listeners.
     */
    public Builder onEvent(Consumer<Event> listener) {
      listeners.add(Objects.requireNonNull(listener, "listener"));
      return this;
    }

    /**
     * Makes the host.
     *
     * @throws RalphException INVALID if it could run no session at all
     */
    public SessionHost build() {
      if (sessions < 1) {
        throw RalphException.invalid("a host runs 1 session or more, not " + sessions);
      }
      return new SessionHost(this);
    }
  }
}
