package dev.ralph.core.internal.session;

import dev.ralph.Ralph;
import dev.ralph.Redactor;
import dev.ralph.Session;
import dev.ralph.core.internal.view.FoldLedger;
import dev.ralph.core.internal.view.FoldView;
import dev.ralph.core.internal.view.StoreHandle;
import dev.ralph.log.Damage;
import dev.ralph.log.Draft;
import dev.ralph.log.Fold;
import dev.ralph.log.Frame;
import dev.ralph.log.FrameLog;
import dev.ralph.log.Ledger;
import dev.ralph.log.RalphException;
import dev.ralph.log.StoreInfo;
import dev.ralph.log.Topic;
import dev.ralph.log.TopicFilter;
import dev.ralph.log.View;
import dev.ralph.spi.FrameStore;
import java.time.Clock;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.Optional;
import java.util.TreeSet;

/** The sessions of one store. */
public final class StoreRalph implements Ralph {

  private final StoreHandle log;
  private final AgentStore agentStore;
  private final Redactor redactor;
  private final LoopFactory loops;
  private final KnownSessions sessions;

  /**
   * Creates the sessions of a store.
   *
   * @param agentStore the same store for the commands of agents; closed with the sessions
   * @param clock the source of time for decisions
   * @param redactor removes secrets from the output of agents
   * @param loops creates the loops on the sessions
   */
  public StoreRalph(
      FrameStore store, AgentStore agentStore, Clock clock, Redactor redactor, LoopFactory loops) {
    this.log = new StoreHandle(store, clock);
    this.agentStore = agentStore;
    this.redactor = redactor;
    this.loops = loops;
    this.sessions = new KnownSessions(name -> new LiveSession(this, name));
  }

  /** Returns the handle of the store. */
  StoreHandle handle() {
    return log;
  }

  /** Returns the factory of loops on the sessions. */
  LoopFactory loops() {
    return loops;
  }

  @Override
  public Session session(String name) {
    Objects.requireNonNull(name, "name");
    return sessions.get(name);
  }

  @Override
  public List<Session.Listed> sessions(String after, int limit) {
    Objects.requireNonNull(after, "after");
    if (limit < 0) {
      throw RalphException.invalid("a limit must not be negative: " + limit);
    }
    List<Session.Listed> page = new ArrayList<>();
    for (String name : names().tailSet(after, false)) {
      if (page.size() >= limit) {
        break;
      }
      newest(name).ifPresent(frame -> page.add(new Session.Listed(name, frame.time())));
    }
    return List.copyOf(page);
  }

  /** Returns the names of all sessions that ever had a frame. */
  private TreeSet<String> names() {
    TreeSet<String> names = new TreeSet<>();
    for (Topic topic : log.store().topics(TopicFilter.parse("ralph.*"))) {
      String name = topic.name();
      int from = name.indexOf('.') + 1;
      int to = name.indexOf('.', from);
      if (to > 0) {
        names.add(name.substring(from, to));
      }
    }
    return names;
  }

  @Override
  public boolean hasSession(String name) {
    Objects.requireNonNull(name, "name");
    return newest(name).isPresent();
  }

  /** Returns the newest frame of a session; empty for an unknown or deleted session. */
  private Optional<Frame> newest(String name) {
    return SessionDeletion.newest(log.store(), new SessionTopics(name).all());
  }

  @Override
  public <S, R> View<R> view(TopicFilter filter, Fold<S, R> fold) {
    Objects.requireNonNull(filter, "filter");
    Objects.requireNonNull(fold, "fold");
    log.checkAlone(fold, filter);
    return new FoldView<>(log, filter, fold);
  }

  @Override
  public <S, R> Ledger<R> ledger(TopicFilter filter, Fold<S, R> fold) {
    Objects.requireNonNull(filter, "filter");
    Objects.requireNonNull(fold, "fold");
    log.checkAlone(fold, filter);
    return new FoldLedger<>(log, filter, fold);
  }

  @Override
  public List<Frame> append(List<Draft> drafts) {
    Objects.requireNonNull(drafts, "drafts");
    return log.append(drafts, true);
  }

  @Override
  public List<Frame> appendUnsynced(List<Draft> drafts) {
    Objects.requireNonNull(drafts, "drafts");
    return log.append(drafts, false);
  }

  @Override
  public FrameLog log() {
    return log.store();
  }

  @Override
  public StoreInfo agentStore() {
    return agentStore.info();
  }

  @Override
  public Clock clock() {
    return log.clock();
  }

  @Override
  public Redactor redactor() {
    return redactor;
  }

  @Override
  public List<Damage> damage() {
    return log.damage();
  }

  @Override
  public void close() {
    agentStore.close();
    log.store().close();
  }
}
