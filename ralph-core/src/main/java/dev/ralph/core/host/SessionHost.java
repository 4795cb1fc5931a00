package dev.ralph.core.host;

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

  /** How long it looks at nothing where nobody says that something has changed. */
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
          Duration wait = look();
          if (isLost) {
            isLost = false;
            events.notice(null, "the store can be reached again");
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

  /** Takes what there is to take; returns how long to wait before the next look. */
  private Duration look() {
    Instant now = ralph.clock().instant();
    Instant next = now.plus(LONGEST_WAIT);
    List<String> names = new ArrayList<>(offers.names());
    Collections.shuffle(names); // or all hosts would reach for the same one
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
   * Takes note that a run has ended.
   *
   * @param thrown what it must not throw, or null
   * @param again whether to wait before this host tries the session again
   */
  void ended(SessionRun run, @Nullable Error thrown, boolean again) {
    Instant now = ralph.clock().instant();
    runs.ended(run, thrown, again ? now.plus(HostChoice.LOOK_AGAIN) : Instant.MIN);
  }

  /**
   * Ends the host: its loops are cancelled, what their agents left is committed and pushed, and the
   * sessions are free for other hosts. Waits for that, unless it is called by a listener of the
   * host or of a loop; an agent and a gate must not call it. Closing again does nothing more.
   */
  @Override
  public void close() {
    runs.cancel();
    if (!events.isOwnThread()) {
      runs.awaitEnd();
    }
  }

  /** Sets up a host. For one thread. */
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
