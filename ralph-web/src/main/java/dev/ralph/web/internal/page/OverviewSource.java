package dev.ralph.web.internal.page;

import dev.ralph.Control;
import dev.ralph.Iteration;
import dev.ralph.ListedSession;
import dev.ralph.Ralph;
import dev.ralph.Session;
import dev.ralph.TaskList;
import dev.ralph.core.internal.text.StateWord;
import dev.ralph.log.Frame;
import dev.ralph.log.Meta;
import dev.ralph.log.Topic;
import dev.ralph.log.TopicFilter;
import dev.ralph.log.View;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/** All sessions of a store at a glance; of very many those that something happened in last. */
final class OverviewSource implements FeedSource {

  /** How often it is looked whether loops live, and whether sessions are gone. */
  private static final Duration AT_THE_LATEST = Duration.ofSeconds(5);

  private static final int MOST = 200;

  private final Ralph ralph;
  private final Map<String, Row> rows = new LinkedHashMap<>();
  private final Set<String> stale = new HashSet<>();
  private long lookedAt;

  /** A session as far as it was looked at. */
  private static final class Row {
    private final Session session;
    private final View<Refusals.Result> refusals;
    private Instant active;
    private boolean isLive;
    private @Nullable Meta shown;

    Row(Ralph ralph, String name, Instant active) {
      this.session = ralph.session(name);
      this.refusals = ralph.view(Topic.of("ralph." + name).child("control"), Refusals.FOLD);
      this.active = active;
    }

    void look() {
      Control control = session.control();
      Control.RunningLoop loop = control.running().orElse(null);
      String state = StateWord.of(control, loop);
      TaskList tasks = session.tasks().list();
      Iteration last = session.iterations().last().orElse(null);
      int questions = session.questions().open().size();
      isLive = loop != null && loop.live();
      shown =
          Meta.of("name", session.name())
              .with("state", state)
              .with("needs", SessionParts.needs(questions, refusals.current(), state))
              .with("done", tasks.size() - tasks.open().size())
              .with("tasks", tasks.size())
              .with("iteration", last == null ? null : last.number())
              .with("host", loop != null && loop.live() ? loop.host() : null)
              .with("unread", session.inbox().unread().size())
              .with("usage", Shown.usage(session.iterations().usage()))
              .with("active", Shown.time(active));
    }
  }

  OverviewSource(Ralph ralph) {
    this.ralph = ralph;
  }

  @Override
  public TopicFilter filter() {
    return TopicFilter.parse("ralph.*");
  }

  @Override
  public void begin(@Nullable Frame newest, Runnable wake) {
    List<ListedSession> all = new ArrayList<>(ralph.sessions("", Integer.MAX_VALUE));
    all.sort(Comparator.comparing(ListedSession::lastUsed).reversed());
    for (ListedSession each : all.subList(0, Math.min(all.size(), MOST))) {
      rows.put(each.name(), new Row(ralph, each.name(), each.lastUsed()));
      stale.add(each.name());
    }
    lookedAt = System.nanoTime();
  }

  @Override
  public void frame(Frame frame) {
    String[] names = frame.topic().name().split("\\.", 3);
    String name = names[1];
    Row row = rows.get(name);
    if (row == null) {
      if (rows.size() >= MOST || !ralph.hasSession(name)) {
        return;
      }
      row = new Row(ralph, name, frame.time());
      rows.put(name, row);
    }
    row.active = frame.time();
    if (names.length > 2 && !names[2].equals("output") && !names[2].equals("record")) {
      stale.add(name);
    }
  }

  @Override
  public Map<String, String> changed() {
    if (System.nanoTime() - lookedAt > AT_THE_LATEST.toNanos()) {
      lookedAt = System.nanoTime();
      rows.values().removeIf(row -> !ralph.hasSession(row.session.name()));
      rows.forEach(
          (name, row) -> {
            if (row.isLive) {
              stale.add(name);
            }
          });
    }
    for (String name : stale) {
      Row row = rows.get(name);
      if (row != null) {
        row.look();
      }
    }
    stale.clear();
    List<Meta> shown = new ArrayList<>();
    rows.values().stream()
        .sorted(Comparator.comparing((Row row) -> row.active).reversed())
        .forEach(
            row -> {
              if (row.shown != null) {
                shown.add(row.shown);
              }
            });
    return Map.of("sessions", Meta.of("items", shown).json());
  }

  @Override
  public List<Piece> pieces() {
    return List.of();
  }

  /** Each session says so by itself. */
  @Override
  public @Nullable Instant sign() {
    return null;
  }

  @Override
  public Duration staysTrueFor() {
    return AT_THE_LATEST;
  }
}
