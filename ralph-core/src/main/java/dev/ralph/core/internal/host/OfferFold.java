package dev.ralph.core.internal.host;

import dev.ralph.core.internal.host.OfferedSession.Failures;
import dev.ralph.core.internal.host.OfferedSession.Remark;
import dev.ralph.core.internal.host.OfferedSession.Taken;
import dev.ralph.log.Fold;
import dev.ralph.log.Frame;
import dev.ralph.log.Meta;
import java.time.Instant;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * Folds the frames of a session's topic {@code offer}. Only the newest offer of a session is valid:
 *
 * <pre>
 * {action:offer, repository?, branch?, commit?, folder?, labels[]?, spec?}  content: the prompt
 * {action:taken, offer, host, pid?, from?}  a host runs the session; from: the dead host before it
 * {action:failed, offer, host, reason}      a host could not run the session
 * {action:left, offer, host}                a host ends; other hosts may take the session
 * {action:ended, offer, host, reason}       no host takes the session any more
 * </pre>
 *
 * <p>The prompt may be empty. A {@code folder} may follow each {@code host}: see {@link HostId}.
 */
final class OfferFold {

  static final Fold<OfferFold, Optional<OfferedSession>> FOLD =
      Fold.of("ralph.offer", OfferFold::new, OfferFold::apply, OfferFold::result);

  private static final int MOST_REMARKS = 20;
  private static final int MOST_HOSTS = 1_000;

  private @Nullable String id;
  private SessionOffer offer = SessionOffer.anywhere();
  private Instant since = Instant.EPOCH;
  private @Nullable String ended;
  private final Deque<Remark> remarks = new ArrayDeque<>();
  private final Map<HostId, Failures> failures = new LinkedHashMap<>();

  /** The last host that took the session, also for an earlier offer. */
  private @Nullable Taken taken;

  private OfferFold() {}

  private void apply(Frame frame) {
    Meta meta = frame.meta();
    String action = meta.string("action");
    if ("offer".equals(action)) {
      begin(frame);
    } else if (action != null && id != null && id.equals(meta.string("offer"))) {
      go(frame, action, HostId.of(meta));
    }
  }

  private void begin(Frame frame) {
    id = frame.id();
    offer = SessionOffer.read(frame);
    since = frame.time();
    ended = null;
    remarks.clear();
    failures.clear();
  }

  private void go(Frame frame, String action, HostId host) {
    Meta meta = frame.meta();
    switch (action) {
      case "taken" -> {
        taken = new Taken(host, meta.integer("pid").orElse(0));
        String from = meta.string("from");
        remark(
            frame,
            host,
            from == null
                ? "took the session"
                : "took the session over from "
                    + from
                    + ", whose heartbeat stopped; unpushed work of "
                    + from
                    + " is lost");
      }
      case "failed" -> {
        Failures before = failures.remove(host);
        failures.put(host, new Failures(before == null ? 1 : before.count() + 1, frame.time()));
        if (failures.size() > MOST_HOSTS) {
          failures.remove(failures.keySet().iterator().next());
        }
        remark(frame, host, "failed: " + word(meta, "reason"));
      }
      case "left" -> remark(frame, host, "released the session");
      case "ended" -> {
        if (ended == null) {
          ended = word(meta, "reason");
          remark(frame, host, "ended the session: " + ended);
        }
      }
      default -> {} // from a newer version
    }
  }

  private void remark(Frame frame, HostId host, String text) {
    remarks.addLast(new Remark(frame.time(), host.toString(), text));
    if (remarks.size() > MOST_REMARKS) {
      remarks.removeFirst();
    }
  }

  private static String word(Meta meta, String key) {
    String word = meta.string(key);
    return word == null ? "unknown" : word;
  }

  private Optional<OfferedSession> result() {
    return id == null
        ? Optional.empty()
        : Optional.of(
            new OfferedSession(id, offer, since, ended, List.copyOf(remarks), failures, taken));
  }
}
