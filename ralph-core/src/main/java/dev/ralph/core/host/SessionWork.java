package dev.ralph.core.host;

import dev.ralph.Session;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;

/** A session that a host has taken, for what sets up its loop. For one thread. */
public final class SessionWork {

  private final Session session;
  private final SessionOffer offer;
  private final Path top;
  private final Path folder;
  private final List<Runnable> atEnd = new ArrayList<>();

  SessionWork(Session session, SessionOffer offer, Path top, Path folder) {
    this.session = session;
    this.offer = offer;
    this.top = top;
    this.folder = folder;
  }

  /** Returns the session. */
  public Session session() {
    return session;
  }

  /** Returns what it needs. Anybody who writes to the store may have written that. */
  public SessionOffer offer() {
    return offer;
  }

  /**
   * Returns the top folder of the repository, from which the offer's paths are seen; that of the
   * session if it has no repository.
   */
  public Path top() {
    return top;
  }

  /** Returns the folder that the loop works in. */
  public Path folder() {
    return folder;
  }

  /** Lets something be done when the loop has ended, or could not be set up. */
  public void whenEnded(Runnable action) {
    atEnd.add(action);
  }

  List<Runnable> atEnd() {
    return atEnd;
  }
}
