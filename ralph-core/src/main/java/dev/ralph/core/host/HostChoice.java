package dev.ralph.core.host;

import dev.ralph.Control;
import dev.ralph.Ralph;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/** Chooses which of the sessions that are offered a host takes, and when it looks at them again. */
final class HostChoice {

  /** How soon it looks again at what says nothing when it changes, such as a paused session. */
  static final Duration LOOK_AGAIN = Duration.ofSeconds(5);

  private static final Duration FIRST_BACKOFF = Duration.ofMinutes(1);
  private static final int MOST_DOUBLED = 6;

  /**
   * What was chosen of a session.
   *
   * @param offered what to take; null to leave it
   * @param from the host whose loop ran last and never ended, or null
   * @param again when to look at it again; null for when it changes
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
   * Chooses what to do about a session.
   *
   * @param notBefore when this host tries it again, whatever the log says
   */
  Choice of(String session, Instant now, Instant notBefore) {
    OfferedSession offered = offers.find(session).orElse(null);
    if (offered == null || !offered.isOpen()) {
      offers.close(session); // it was deleted, or who ended it was killed between two frames
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
      return Choice.later(until == null || !until.isAfter(now) ? now.plus(LOOK_AGAIN) : until);
    }
    if (offers.endIfCompleted(ralph.session(session), offered)) {
      return Choice.LEAVE;
    }
    Instant backoff = backoff(offered, notBefore);
    if (backoff.isAfter(now)) {
      return Choice.later(backoff);
    }
    if (control.isPaused()) {
      return Choice.later(now.plus(LOOK_AGAIN));
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
