package dev.ralph.core.internal.host;

import dev.ralph.Control;
import dev.ralph.Ralph;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * Decides which offered sessions a host takes, and when the host examines the remaining sessions
 * again.
 */
final class HostChoice {

  /** The interval for states that change without a notification, such as a paused session. */
  static final Duration RETRY_INTERVAL = Duration.ofSeconds(5);

  private static final Duration FIRST_BACKOFF = Duration.ofMinutes(1);
  private static final int MOST_DOUBLED = 6;

  /**
   * The decision about a session.
   *
   * @param offered the session to take, or null
   * @param from the host whose loop ran last and never ended, or null
   * @param again the time of the next examination; null for the next change
   */
  record Choice(@Nullable OfferedSession offered, @Nullable HostId from, @Nullable Instant again) {

    private static final Choice LEAVE = new Choice(null, null, null);

    private static Choice later(Instant again) {
      return new Choice(null, null, again);
    }
  }

  private final Ralph ralph;
  private final SessionOffers offers;
  private final Repositories repositories;
  private final Set<String> labels;
  private final HostId host;

  HostChoice(Ralph ralph, SessionOffers offers, List<String> repositories, Set<String> labels) {
    this.ralph = ralph;
    this.offers = offers;
    this.repositories = new Repositories(repositories);
    this.labels = Set.copyOf(labels);
    this.host = offers.host();
  }

  /**
   * Decides about a session.
   *
   * @param notBefore the earliest time at which this host may take the session, regardless of the
   *     log
   */
  Choice of(String session, Instant now, Instant notBefore) {
    OfferedSession offered = offers.find(session).orElse(null);
    if (offered == null || !offered.isOpen()) {
      offers.close(session); // deleted, or its end was interrupted between two frames
      return Choice.LEAVE;
    }
    SessionOffer offer = offered.offer();
    String repository = offer.repository();
    if (!labels.containsAll(offer.labels())
        || repository != null && !repositories.allow(repository)) {
      return Choice.LEAVE;
    }
    Control control = ralph.session(session).control();
    Control.RunningLoop loop = control.running().orElse(null);
    if (loop != null && loop.live()) {
      Instant until = loop.until();
      return Choice.later(until == null || !until.isAfter(now) ? now.plus(RETRY_INTERVAL) : until);
    }
    if (offers.endIfCompleted(ralph.session(session), offered)) {
      return Choice.LEAVE;
    }
    Instant backoff = backoff(offered, notBefore);
    if (backoff.isAfter(now)) {
      return Choice.later(backoff);
    }
    if (control.isPaused()) {
      return Choice.later(now.plus(RETRY_INTERVAL));
    }
    HostId last = loop == null ? host : offered.hostOf(loop);
    return new Choice(offered, host.hasWhatIsLeftBy(last) ? null : last, null);
  }

  private Instant backoff(OfferedSession offered, Instant notBefore) {
    OfferedSession.Failures failures = offered.failuresOf(host);
    if (failures == null) {
      return notBefore;
    }
    int doubled = Math.min(failures.count() - 1, MOST_DOUBLED);
    Instant logged = failures.last().plus(FIRST_BACKOFF.multipliedBy(1L << doubled));
    return logged.isAfter(notBefore) ? logged : notBefore;
  }
}
