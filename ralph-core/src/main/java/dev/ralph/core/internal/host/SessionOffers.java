package dev.ralph.core.internal.host;

import dev.ralph.Ralph;
import dev.ralph.Session;
import dev.ralph.log.Draft;
import dev.ralph.log.Fold;
import dev.ralph.log.Follower;
import dev.ralph.log.Frame;
import dev.ralph.log.FrameCursor;
import dev.ralph.log.Meta;
import dev.ralph.log.Position;
import dev.ralph.log.Query;
import dev.ralph.log.RalphException;
import dev.ralph.log.Topic;
import dev.ralph.log.TopicFilter;
import dev.ralph.log.View;
import java.nio.file.Path;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.TreeSet;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentMap;
import org.jspecify.annotations.Nullable;

/**
 * The sessions of a store offered to hosts. Safe for use by many threads.
 *
 * <p>The requirements of a session are in the session's own frames. Therefore a deletion of the
 * session includes the requirements. A topic that all hosts follow contains only the sessions'
 * names: {@code {action: offered | free | closed, session}} on {@code hosts.offered}.
 */
public final class SessionOffers {

  private static final Topic INDEX = Topic.of("hosts.offered");

  private static final Fold<Set<String>, Set<String>> NAMES =
      Fold.of("ralph.offered", TreeSet::new, SessionOffers::apply, Set::copyOf);

  private final Ralph ralph;
  private final @Nullable Path folder;
  private final View<Set<String>> names;
  private final ConcurrentMap<String, View<Optional<OfferedSession>>> known =
      new ConcurrentHashMap<>();

  /**
   * @param folder the folder of the calling host, or null for a person
   */
  SessionOffers(Ralph ralph, @Nullable Path folder) {
    this.ralph = ralph;
    this.folder = folder;
    this.names = ralph.view(INDEX, NAMES);
  }

  private static void apply(Set<String> names, Frame frame) {
    String name = frame.meta().string("session");
    String action = frame.meta().string("action");
    if (name == null || action == null || !Topic.isSegment(name)) {
      return;
    }
    if (action.equals("offered")) {
      names.add(name);
    } else if (action.equals("closed")) {
      names.remove(name);
    }
  }

  /** Returns the offered sessions of a store. */
  public static SessionOffers of(Ralph ralph) {
    return new SessionOffers(ralph, null);
  }

  /**
   * Offers a session to hosts, until a host has run it to its end. Replaces an earlier offer of the
   * session.
   *
   * @throws RalphException any exception of the log; the call may be repeated safely
   */
  public void put(String session, SessionOffer offer) {
    Meta meta = offer.in(Meta.of("action", "offer"));
    ralph.append(List.of(Draft.of(topic(session), meta, offer.content())));
    appendToIndex("offered", session);
  }

  /**
   * Withdraws the offer of a session: no further host takes it. A running loop continues.
   *
   * @param reason for people
   * @return whether an open offer existed
   */
  public boolean withdraw(String session, String reason) {
    OfferedSession offered = find(session).filter(OfferedSession::isOpen).orElse(null);
    if (offered != null) {
      end(session, offered, reason);
    }
    return offered != null;
  }

  /** Returns the newest offer of a session, or empty if it was never offered. */
  public Optional<OfferedSession> find(String session) {
    return known
        .computeIfAbsent(session, name -> ralph.view(topic(name), OfferFold.FOLD))
        .current();
  }

  /** Returns the names of sessions with a possibly open offer; see {@link #find}. */
  Set<String> names() {
    return names.current();
  }

  /** Records that no host can take a session, unless it was offered again meanwhile. */
  void close(String session) {
    appendToIndex("closed", session);
    if (find(session).filter(OfferedSession::isOpen).isPresent()) {
      appendToIndex("offered", session); // the frame of the new offer may precede the closing frame
    } else {
      known.remove(session);
    }
  }

  /** Returns the identity of the caller. */
  HostId host() {
    return HostId.here(folder);
  }

  /**
   * Records that the host runs a session.
   *
   * @param from the host of the previous loop if it has a different folder; or null
   * @param pid the process of the loop
   */
  void taken(String session, OfferedSession offered, @Nullable HostId from, long pid) {
    Meta taken = actionOfHost("taken").with("pid", pid);
    appendToSession(session, offered, taken.with("from", from == null ? null : from.toString()));
  }

  void failed(String session, OfferedSession offered, String reason) {
    appendToSession(session, offered, actionOfHost("failed").with("reason", reason));
    appendToIndex("free", session);
  }

  void left(String session, OfferedSession offered) {
    appendToSession(session, offered, actionOfHost("left"));
    appendToIndex("free", session);
  }

  void end(String session, OfferedSession offered, String reason) {
    appendToSession(session, offered, actionOfHost("ended").with("reason", reason));
    close(session);
  }

  /**
   * Ends the offer of a session if a loop has completed the session since the offer. The loop's
   * host may have died before it could end the offer, or the loop ran without a host. Another loop
   * would have no work.
   *
   * @return whether the offer was ended
   */
  boolean endIfCompleted(Session session, OfferedSession offered) {
    if (!session.control().isCompleted() || !isCompletedSince(session.name(), offered)) {
      return false;
    }
    end(session.name(), offered, "completed");
    return true;
  }

  private boolean isCompletedSince(String session, OfferedSession offered) {
    Position begin = ralph.log().get(offered.id()).map(Frame::position).orElse(Position.START);
    TopicFilter control = TopicFilter.of(topic(session, "control"));
    try (FrameCursor cursor = ralph.log().read(Query.of(control).after(begin))) {
      for (Frame frame = cursor.next(); frame != null; frame = cursor.next()) {
        if ("session_completed".equals(frame.meta().string("action"))) {
          return true;
        }
      }
    }
    return false;
  }

  /** Follows the changes from now on. */
  Follower follow() {
    TopicFilter filter = TopicFilter.of(INDEX);
    Position end = ralph.log().last(filter).map(Frame::position).orElse(Position.START);
    return ralph.log().follow(Query.of(filter).after(end));
  }

  private Meta actionOfHost(String action) {
    return host().in(Meta.of("action", action));
  }

  private void appendToSession(String session, OfferedSession offered, Meta meta) {
    Draft draft = Draft.of(topic(session), meta.with("offer", offered.id()));
    ralph.append(List.of(draft));
  }

  private void appendToIndex(String action, String session) {
    Draft draft = Draft.of(INDEX, Meta.of("action", action).with("session", session));
    ralph.append(List.of(draft));
  }

  private static Topic topic(String session) {
    return topic(session, "offer");
  }

  private static Topic topic(String session, String last) {
    return Topic.of("ralph").child(Topic.checkSegment("session name", session)).child(last);
  }
}
