package dev.ralph.core.internal.host;

import dev.ralph.Loop;
import dev.ralph.LoopResult;
import dev.ralph.Ralph;
import dev.ralph.log.Follower;
import dev.ralph.log.Frame;
import dev.ralph.log.RalphException;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Objects;
import java.util.Set;
import java.util.TreeSet;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.Consumer;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/**
 * Takes {@linkplain SessionOffers#put offered} sessions without a running loop, and runs their
 * loops, several at once. Any number of hosts share the sessions of a store. Each session belongs
 * to a single host at a time, because its loop claims the session. After the death of a machine,
 * another host takes over when the lease has expired.
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
 * <p>A session with a repository runs in a Git work tree of the branch {@code ralph/SESSION}. The
 * work of each iteration is committed and pushed to that branch. A session can only be completed
 * after a successful push. A session without a repository runs in a separate folder.
 *
 * <p>{@link #run()} is for one thread; {@link #close()} is for any thread.
 */
public final class SessionHost implements AutoCloseable {

  /** The types of a host's events. */
  public enum Happening {
    /** The host has taken a session. */
    TAKEN,
    /** The loop of a session has ended. */
    ENDED,
    /** The host could not run a session; the host retries after a delay. */
    FAILED,
    /** Information for a person. */
    NOTICE
  }

  /**
   * An event of a host.
   *
   * @param session the name of the session, or null for an event of the host itself
   * @param message for people
   * @param result the result of an ended loop; null for other events
   */
  public record Event(
      Happening type,
      @Nullable String session,
      Instant time,
      String message,
      @Nullable LoopResult result) {}

  /** The maximum time between examinations without a notification. */
  private static final Duration LONGEST_WAIT = Duration.ofMinutes(1);

  private static final Duration SHORTEST_WAIT = Duration.ofMillis(100);

  private final Ralph ralph;
  private final SessionOffers offers;
  private final Function<SessionWork, Loop.Builder> loops;
  private final Path folder;
  private final HostChoice choice;
  private final HostEvents events;
  private final HostRuns runs;
  private final AtomicBoolean begun = new AtomicBoolean();

  private SessionHost(Builder builder) {
    this.ralph = builder.ralph;
    this.loops = builder.loops;
    this.folder = builder.folder.toAbsolutePath().normalize();
    this.offers = new SessionOffers(ralph, folder);
    this.choice = new HostChoice(ralph, offers, builder.repositories, builder.labels);
    this.events = new HostEvents(ralph.clock(), builder.listeners);
    this.runs = new HostRuns(builder.sessions);
  }

  /**
   * Returns a builder for a host.
   *
   * @param loops creates the loop of a taken session, on the thread that runs the loop. The host
   *     then sets the folder, and disables standby. An exception counts as a failure of the session
   *     on this host
   */
  public static Builder builder(Ralph ralph, Function<SessionWork, Loop.Builder> loops) {
    return new Builder(
        Objects.requireNonNull(ralph, "ralph"), Objects.requireNonNull(loops, "loops"));
  }

  /**
   * Takes sessions and runs them until the host is {@linkplain #close closed}. Waits for an
   * unavailable store. Call at most once.
   *
   * @throws InterruptedException if the thread is interrupted; the host has ended
   * @throws RalphException any exception of the log, after which the host has ended; INVALID if the
   *     method was called before
   * @throws Error if a loop or a listener throws an error; the host has ended
   */
  public void run() throws InterruptedException {
    if (!begun.compareAndSet(false, true)) {
      throw RalphException.invalid("a host runs only once; create a new host");
    }
    runs.begin();
    Error thrown;
    try {
      serve();
    } finally {
      runs.cancel();
      thrown = runs.finish();
    }
    if (thrown != null) {
      throw thrown;
    }
  }

  private void serve() throws InterruptedException {
    boolean isLost = false;
    while (!runs.isClosing()) {
      try (Follower follower = offers.follow()) {
        runs.follow(follower);
        while (!runs.isClosing()) {
          Duration wait = takeSessions();
          if (isLost) {
            isLost = false;
            events.notice(null, "the store is reachable again");
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
          events.notice(null, "waiting for the store: " + e.getMessage());
        }
        runs.pause();
      } finally {
        runs.follow(null);
      }
    }
  }

  /** Takes sessions. Returns the time to wait before the next call. */
  private Duration takeSessions() {
    Instant now = ralph.clock().instant();
    Instant next = now.plus(LONGEST_WAIT);
    List<String> names = new ArrayList<>(offers.names());
    Collections.shuffle(names); // otherwise all hosts would try the same session
    for (String each : names) {
      if (!runs.hasSeat(each)) {
        continue;
      }
      HostChoice.Choice made = choice.of(each, now, runs.notBefore(each));
      OfferedSession offered = made.offered();
      if (offered != null) {
        runs.start(new SessionRun(this, ralph.session(each), offered, made.from()));
      }
      Instant again = made.again();
      next = again != null && again.isBefore(next) ? again : next;
    }
    Duration wait = Duration.between(ralph.clock().instant(), next);
    return wait.compareTo(SHORTEST_WAIT) < 0 ? SHORTEST_WAIT : wait;
  }

  // ---- for the runs

  SessionOffers offers() {
    return offers;
  }

  HostEvents events() {
    return events;
  }

  Path folder() {
    return folder;
  }

  Loop.Builder loop(SessionWork work) {
    return Objects.requireNonNull(loops.apply(work), "the loop of a session");
  }

  /**
   * Records the end of a run.
   *
   * @param thrown an unexpected error, or null
   * @param again whether this host waits before the next run of the session
   */
  void ended(SessionRun run, @Nullable Error thrown, boolean again) {
    Instant now = ralph.clock().instant();
    runs.ended(run, thrown, again ? now.plus(HostChoice.RETRY_INTERVAL) : Instant.MIN);
  }

  /**
   * Ends the host: cancels its loops, commits and pushes the work of their agents, and leaves the
   * sessions to other hosts. Waits for the end, except in a call by a listener of the host or of a
   * loop. Agents and gates must not call this method. Idempotent.
   */
  @Override
  public void close() {
    runs.cancel();
    if (!events.isOwnThread()) {
      runs.awaitEnd();
    }
  }

  /** Builds a host. Not thread-safe. */
  public static final class Builder {

    private final Ralph ralph;
    private final Function<SessionWork, Loop.Builder> loops;
    private final List<String> repositories = new ArrayList<>();
    private final Set<String> labels = new TreeSet<>();
    private final List<Consumer<Event>> listeners = new ArrayList<>();
    private Path folder = Path.of(".ralph", "hosted");
    private int sessions = 1;

    private Builder(Ralph ralph, Function<SessionWork, Loop.Builder> loops) {
      this.ralph = ralph;
      this.loops = loops;
    }

    /**
     * Sets the parent of the sessions' folders; {@code .ralph/hosted} by default. Concurrent hosts
     * on a machine may share the folder.
     */
    public Builder folder(Path folder) {
      this.folder = Objects.requireNonNull(folder, "folder");
      return this;
    }

    /**
     * Permits the host to fetch a repository. An address that ends with a slash or a colon permits
     * all addresses with this prefix. The host does not take sessions with other repositories.
     * Without any permission, the host takes only sessions without a repository.
     */
    public Builder repository(String address) {
      repositories.add(Objects.requireNonNull(address, "address"));
      return this;
    }

    /**
     * Adds a label to the host. The host takes a session only if it has all labels of the session.
     *
     * @throws RalphException INVALID for an invalid label
     */
    public Builder label(String label) {
      labels.add(SessionOffer.requireLabel(label));
      return this;
    }

    /** Sets the maximum number of concurrent sessions; 1 by default. */
    public Builder sessions(int most) {
      this.sessions = most;
      return this;
    }

    /**
     * Adds a listener. Called on the host's threads, one event at a time; should return soon. Its
     * exceptions are logged and ignored. Events of a loop are delivered to the {@linkplain
     * Loop.Builder#onEvent loop's} listeners.
     */
    public Builder onEvent(Consumer<Event> listener) {
      listeners.add(Objects.requireNonNull(listener, "listener"));
      return this;
    }

    /**
     * Builds the host.
     *
     * @throws RalphException INVALID if the maximum number of sessions is less than 1
     */
    public SessionHost build() {
      if (sessions < 1) {
        throw RalphException.invalid("a host must run at least 1 session, not " + sessions);
      }
      return new SessionHost(this);
    }
  }
}
