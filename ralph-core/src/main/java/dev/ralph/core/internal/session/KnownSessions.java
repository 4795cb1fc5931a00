package dev.ralph.core.internal.session;

import java.lang.ref.ReferenceQueue;
import java.lang.ref.SoftReference;
import java.util.Objects;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentMap;
import java.util.function.Function;

/**
 * A cache of the sessions of a program with their states. The garbage collector may clear sessions
 * without other references when memory is short; they are read again on demand.
 */
final class KnownSessions {

  private final ConcurrentMap<String, Known> sessions = new ConcurrentHashMap<>();
  private final ReferenceQueue<LiveSession> givenUp = new ReferenceQueue<>();
  private final Function<String, LiveSession> maker;

  KnownSessions(Function<String, LiveSession> maker) {
    this.maker = maker;
  }

  /** Returns the session with a name, the same object while it is in memory. */
  LiveSession get(String name) {
    Known known = sessions.get(name);
    LiveSession session = known == null ? null : known.get();
    while (session == null) {
      forgetGivenUp();
      Known made = new Known(maker.apply(name), givenUp);
      session =
          Objects.requireNonNull(
                  sessions.merge(name, made, (old, fresh) -> old.get() == null ? fresh : old))
              .get();
    }
    return session;
  }

  private void forgetGivenUp() {
    for (Object gone = givenUp.poll(); gone != null; gone = givenUp.poll()) {
      sessions.remove(((Known) gone).name, gone);
    }
  }

  private static final class Known extends SoftReference<LiveSession> {

    private final String name;

    Known(LiveSession session, ReferenceQueue<LiveSession> givenUp) {
      super(session, givenUp);
      name = session.name();
    }
  }
}
