package dev.ralph.cli.watch;

import dev.ralph.Session;
import dev.ralph.cli.call.Command;
import dev.ralph.cli.call.CommandSyntax;
import dev.ralph.cli.call.Invocation;
import dev.ralph.cli.call.StoreAccess;
import dev.ralph.cli.text.Suggestion;
import dev.ralph.log.Follower;
import dev.ralph.log.NotFoundException;
import dev.ralph.log.Query;
import dev.ralph.log.RalphException;
import dev.ralph.log.TopicFilter;
import java.time.Duration;
import java.util.concurrent.Semaphore;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/**
 * {@code ralph watch}: shows the changes of a session or of all sessions. A follower reports new
 * frames, and the views of the sessions read the new state.
 */
public final class WatchCommand implements Command {

  /** The interval between checks for a missing store. */
  private static final Duration BETWEEN_LOOKS = Duration.ofSeconds(1);

  /** Computes the prompt of the next iteration for a session without a known loop. */
  public interface NextPrompt {

    /** Returns the prompt of the next iteration. */
    String of(Invocation call, String session);
  }

  private final NextPrompt nextPrompt;

  public WatchCommand(NextPrompt nextPrompt) {
    this.nextPrompt = nextPrompt;
  }

  @Override
  public CommandSyntax syntax() {
    return CommandSyntax.of("show a session live, or without -n a line for each session")
        .session()
        .store();
  }

  @Override
  public void run(Invocation call) {
    try {
      StoreAccess store = awaitStore(call);
      if (store == null) {
        return;
      }
      if (!call.namesASession()) {
        watch(call, store, null);
      } else if (awaitSession(call, store, call.sessionName())) {
        watch(call, store, store.session(call.sessionName()));
      }
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
  }

  // ---- waiting for the store and the session

  /** Waits for the store; returns null if a person leaves first. */
  private static @Nullable StoreAccess awaitStore(Invocation call) throws InterruptedException {
    StoreAccess store = storeIfThere(call);
    if (store != null) {
      return store;
    }
    Semaphore woken = new Semaphore(0);
    String missing = "no store at " + call.stores().address().location() + " yet";
    try (NothingToWatch absence = new NothingToWatch(call, missing, woken::release)) {
      while (store == null && absence.show()) {
        woken.tryAcquire(BETWEEN_LOOKS.toNanos(), TimeUnit.NANOSECONDS);
        store = storeIfThere(call);
      }
      return store;
    }
  }

  private static @Nullable StoreAccess storeIfThere(Invocation call) {
    try {
      return call.store();
    } catch (NotFoundException e) {
      return null;
    }
  }

  /**
   * Waits for the first frame of a session; returns false if a person leaves first.
   *
   * @throws RalphException NOT_FOUND if the session has not begun and a similar name exists,
   *     because the name is probably misspelled
   */
  private static boolean awaitSession(Invocation call, StoreAccess store, String name)
      throws InterruptedException {
    try (Follower follower = store.frames().follow(Query.of(filter(name)))) {
      if (store.hasSession(name)) {
        return true;
      }
      if (Suggestion.nearest(name, store.sessions()) != null) {
        call.requireBegun(name);
      }
      String missing = "no session " + name + " in " + call.stores().address().location() + " yet";
      try (NothingToWatch absence = new NothingToWatch(call, missing, follower::wakeup)) {
        while (absence.show()) {
          if (follower.poll(Duration.ofHours(1)) != null) {
            return true;
          }
        }
      }
      return false;
    }
  }

  // ---- views

  private static TopicFilter filter(String session) {
    return TopicFilter.parse("ralph." + session + ".*");
  }

  /** Shows a session, or all sessions if null, until a person quits. */
  private void watch(Invocation call, StoreAccess store, @Nullable Session session)
      throws InterruptedException {
    TopicFilter filter = session == null ? TopicFilter.parse("ralph.*") : filter(session.name());
    try (WatchLoop watching = new WatchLoop(store.frames(), filter);
        WatchFace face =
            session == null ? face(call, store, watching) : face(call, store, session, watching)) {
      watching.show(face);
    }
  }

  private static WatchFace face(Invocation call, StoreAccess store, WatchLoop watching) {
    if (call.json()) {
      return new AllSessionsFaces.Objects(call, store);
    }
    return call.environment().canDraw()
        ? new AllSessionsFaces.Page(call, store, watching::wake, watching::leave)
        : new AllSessionsFaces.Lines(call, store);
  }

  private WatchFace face(Invocation call, StoreAccess store, Session session, WatchLoop watching) {
    if (call.json()) {
      return new SessionViews.Objects(call, session);
    }
    return call.environment().canDraw()
        ? new SessionViews.Page(
            call, store, session, watching, () -> nextPrompt.of(call, session.name()))
        : new SessionViews.Lines(call, session);
  }
}
