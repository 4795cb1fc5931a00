package dev.ralph.web.internal.page;

import dev.ralph.Control;
import dev.ralph.Iteration;
import dev.ralph.Question;
import dev.ralph.Ralph;
import dev.ralph.Session;
import dev.ralph.Task;
import dev.ralph.TaskList;
import dev.ralph.core.internal.host.SessionOffers;
import dev.ralph.core.internal.json.SessionJson;
import dev.ralph.core.internal.text.ActivityText;
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

/**
 * An overview of the sessions of a store, limited to the most recently active sessions, and of the
 * store's mail.
 */
final class OverviewSource implements FeedSource {

  /** The interval of checks for dead loops and removed sessions. */
  private static final Duration AT_THE_LATEST = Duration.ofSeconds(5);

  private static final int MOST = 200;

  private final Ralph ralph;
  private final Map<String, Row> rows = new LinkedHashMap<>();
  private final Set<String> stale = new HashSet<>();
  private final MailPart mail;
  private final SessionOffers offers;
  private Runnable wake = () -> {};
  private boolean hasBegun;
  private long lookedAt;

  /** A session with its last rendered state. */
  private static final class Row {
    private final Session session;
    private final View<RefusedCompletions.Result> refusals;
    private Instant active;
    private boolean isLive;
    private @Nullable Frame output;
    private @Nullable Meta shown;

    Row(Ralph ralph, String name, Instant active) {
      this.session = ralph.session(name);
      this.refusals =
          ralph.view(Topic.of("ralph." + name).child("control"), RefusedCompletions.FOLD);
      this.active = active;
    }

    void refresh(Ralph ralph, SessionOffers offers) {
      Control control = session.control();
      Control.RunningLoop loop = control.running().orElse(null);
      String state = StateWord.of(control, loop);
      TaskList tasks = session.tasks().list();
      int cancelled = tasks.of(Task.Status.CANCELLED).size();
      Iteration last = session.iterations().last().orElse(null);
      List<Question> open = session.questions().open();
      isLive = loop != null && loop.live();
      List<ActivityText> atWork = ActivityText.of(session, loop);
      shown =
          Meta.of("name", session.name())
              .with("state", SessionParts.state(refusals.current(), state))
              .with("needs", SessionParts.needs(open.size(), refusals.current(), state))
              .with("need", SessionParts.firstNeed(open, refusals.current(), state))
              .with("command", SessionParts.command(session, refusals.current()))
              .with("offer", endedOffer(offers, state))
              .with("doing", doing(atWork))
              .with("last", isLive ? lastLine(ralph) : last == null ? null : summary(last))
              .with("waits", isWaiting(atWork) ? true : null)
              .with("done", tasks.size() - tasks.open().size())
              .with("cancelled", cancelled == 0 ? null : cancelled)
              .with("tasks", tasks.size())
              .with("iteration", last == null ? null : last.number())
              .with("host", loop != null && loop.live() ? loop.host() : null)
              .with("unread", session.inbox().unread().size())
              .with("usage", SessionJson.usage(session.iterations().usage()))
              .with("active", PageJson.time(active));
    }

    /** Returns the ended offer to hosts that a person may repeat, or null. */
    private @Nullable String endedOffer(SessionOffers offers, String state) {
      if (isLive || state.equals("completed")) {
        return null;
      }
      return offers
          .find(session.name())
          .filter(offered -> !offered.isOpen())
          .map(offered -> PageJson.cut(offered.offer().toString(), PageJson.BEGINNING))
          .orElse(null);
    }

    /** Returns the last line of the output, or null. */
    private @Nullable String lastLine(Ralph ralph) {
      if (output == null) {
        Topic topic = Topic.of("ralph." + session.name()).child("output");
        output = ralph.log().last(TopicFilter.of(topic)).orElse(null);
      }
      String text = output == null ? "" : SessionSource.text(output).stripTrailing();
      String line = text.substring(text.lastIndexOf('\n') + 1);
      return line.isEmpty() ? null : PageJson.cut(line, PageJson.BEGINNING);
    }

    private static @Nullable String summary(Iteration last) {
      return PageJson.beginning(last.summary());
    }
  }

  OverviewSource(Ralph ralph) {
    this.ralph = ralph;
    this.mail = new MailPart(ralph, null);
    this.offers = SessionOffers.of(ralph);
  }

  /** Returns the activity of the whole loop, or null while its agents work. */
  private static @Nullable String doing(List<ActivityText> atWork) {
    String doing = atWork.isEmpty() || atWork.get(0).agent() > 0 ? "" : atWork.get(0).doing();
    return doing.isEmpty() ? null : PageJson.cut(doing, PageJson.BEGINNING);
  }

  /** Returns whether all activities of a loop are waits. */
  private static boolean isWaiting(List<ActivityText> atWork) {
    return !atWork.isEmpty() && atWork.stream().allMatch(ActivityText::waits);
  }

  @Override
  public TopicFilter filter() {
    return TopicFilter.parse("ralph.*").or(RecentMail.FILTER);
  }

  @Override
  public void begin(@Nullable Frame newest, Runnable wake) {
    this.wake = wake;
    List<Session.Listed> all = new ArrayList<>(ralph.sessions("", Integer.MAX_VALUE));
    all.sort(Comparator.comparing(Session.Listed::lastUsed).reversed());
    for (Session.Listed each : all.subList(0, Math.min(all.size(), MOST))) {
      rows.put(each.name(), new Row(ralph, each.name(), each.lastUsed()));
      stale.add(each.name());
    }
    lookedAt = System.nanoTime();
  }

  @Override
  public void frame(Frame frame) {
    if (RecentMail.FILTER.matches(frame.topic())) {
      mail.changed();
      return;
    }
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
    if (names.length > 2 && names[2].equals("output")) {
      row.output = frame; // shown with the next look, because output is frequent
    }
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
        row.refresh(ralph, offers);
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
    Map<String, String> changed = new LinkedHashMap<>();
    changed.put("sessions", Meta.of("items", shown).json());
    mail.addTo(changed);
    if (!hasBegun) {
      hasBegun = true;
      Thread reader = new Thread(this::readMail, "ralph-page-mail");
      reader.setDaemon(true);
      reader.start();
    }
    return changed;
  }

  private void readMail() {
    mail.read();
    wake.run();
  }

  @Override
  public List<Piece> pieces() {
    return List.of();
  }

  /** Returns null, because each session states its own time. */
  @Override
  public @Nullable Instant sign() {
    return null;
  }

  @Override
  public Duration staysTrueFor() {
    return AT_THE_LATEST;
  }
}
