package dev.ralph.core.internal.session;

import dev.ralph.Ralph;
import dev.ralph.Session;
import dev.ralph.core.internal.view.FoldView;
import dev.ralph.core.internal.view.Log;
import dev.ralph.log.Damage;
import dev.ralph.log.Fold;
import dev.ralph.log.FrameLog;
import dev.ralph.log.Topic;
import dev.ralph.log.TopicFilter;
import dev.ralph.log.View;
import dev.ralph.spi.FrameStore;
import java.time.Clock;
import java.util.List;
import java.util.TreeSet;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentMap;

/** The sessions of one store. */
public final class StoreRalph implements Ralph {

  private final DamageNotingStore store;
  private final Log log;
  private final LoopFactory loops;
  private final ConcurrentMap<String, LiveSession> sessions = new ConcurrentHashMap<>();

  /** Makes the sessions of a store, with the source of time and what makes loops on them. */
  public StoreRalph(FrameStore store, Clock clock, LoopFactory loops) {
    this.store = new DamageNotingStore(store);
    this.log = new Log(this.store, clock);
    this.loops = loops;
  }

  @Override
  public Session session(String name) {
    LiveSession known = sessions.get(name);
    return known != null
        ? known
        : sessions.computeIfAbsent(name, missing -> new LiveSession(missing, log, loops));
  }

  @Override
  public List<String> sessions() {
    TreeSet<String> names = new TreeSet<>();
    for (Topic topic : store.topics(TopicFilter.parse("ralph.*"))) {
      String name = topic.name();
      int from = name.indexOf('.') + 1;
      int to = name.indexOf('.', from);
      if (to > 0) {
        names.add(name.substring(from, to));
      }
    }
    return List.copyOf(names);
  }

  @Override
  public <S, R> View<R> view(TopicFilter filter, Fold<S, R> fold) {
    return new FoldView<>(store, filter, fold);
  }

  @Override
  public FrameLog log() {
    return store;
  }

  @Override
  public List<Damage> damage() {
    return store.damage();
  }

  @Override
  public void close() {
    store.close();
  }
}
