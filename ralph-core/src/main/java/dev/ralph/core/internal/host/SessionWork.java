package dev.ralph.core.internal.host;

import dev.ralph.Session;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;

/** A session taken by a host, for the function that creates its loop. Not thread-safe. */
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

  /** Returns the session's requirements. Any writer of the store may have written them. */
  public SessionOffer offer() {
    return offer;
  }

  /**
   * Returns the top folder of the repository, to which the offer's paths are relative; without a
   * repository, the session's folder.
   */
  public Path top() {
    return top;
  }

  /** Returns the working folder of the loop. */
  public Path folder() {
    return folder;
  }

  /**
   * Registers an action to run after the end of the loop, or after a failure to create the loop.
   */
  public void whenEnded(Runnable action) {
    atEnd.add(action);
  }

  List<Runnable> atEnd() {
    return atEnd;
  }
}
