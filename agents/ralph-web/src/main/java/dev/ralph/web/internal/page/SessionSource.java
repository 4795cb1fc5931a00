package dev.ralph.web.internal.page;

import dev.ralph.Control;
import dev.ralph.Iteration;
import dev.ralph.Ralph;
import dev.ralph.Session;
import dev.ralph.core.internal.host.SessionOffers;
import dev.ralph.log.DamagedException;
import dev.ralph.log.Frame;
import dev.ralph.log.FrameCursor;
import dev.ralph.log.Meta;
import dev.ralph.log.Query;
import dev.ralph.log.RalphException;
import dev.ralph.log.Topic;
import dev.ralph.log.TopicFilter;
import dev.ralph.log.View;
import java.lang.System.Logger.Level;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.EnumSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/** The live content of a session: its parts and the output of its agents. */
final class SessionSource implements FeedSource {

  private static final System.Logger LOG = System.getLogger(SessionSource.class.getPackageName());

  /** The interval of checks for a dead loop. */
  private static final Duration WHILE_RUNNING = Duration.ofSeconds(1);

  private static final Duration WHILE_IDLE = Duration.ofHours(1);

  /** The most frames and characters of earlier output to read. */
  private static final int MOST_LOOKED_BACK = 200;

  private static final int MOST_SHOWN = 64 * 1024;

  private final Session session;
  private final Ralph ralph;
  private final Topic scope;
  private final TopicFilter own;
  private final SessionParts parts;
  private final View<RefusedCompletions.Result> refusals;
  private final View<RecordTally.Result> record;
  private final MailPart mail;
  private final SessionOffers offers;
  private final Set<SessionParts.Part> stale = EnumSet.allOf(SessionParts.Part.class);
  private final List<Piece> pieces = new ArrayList<>();

  /**
   * Whether all records were read. They are read once on a separate thread, which may take long.
   */
  private volatile boolean isRecordRead;

  private boolean wasRecordRead;
  private boolean areHostsStale = true;
  private @Nullable Instant sign;

  /** The id of the newest frame of a task. The page may show other tasks than the first ones. */
  private @Nullable String newestTask;

  private boolean hasBegun;

  /** Whether the loop was running at the last check. The loop may have died since. */
  private boolean isLoopKnown;

  private Runnable wake = () -> {};

  SessionSource(Ralph ralph, Session session) {
    this.ralph = ralph;
    this.session = session;
    this.scope = Topic.of("ralph." + session.name());
    this.own = TopicFilter.parse(scope.name() + ".*");
    this.parts = new SessionParts(session);
    this.refusals = ralph.view(scope.child("control"), RefusedCompletions.FOLD);
    this.record = ralph.view(scope.child("record"), RecordTally.FOLD);
    this.mail = new MailPart(ralph, session.name());
    this.offers = SessionOffers.of(ralph);
  }

  @Override
  public TopicFilter filter() {
    return own.or(RecentMail.FILTER);
  }

  @Override
  public void begin(@Nullable Frame newest, Runnable wake) {
    this.wake = wake;
    if (newest != null) {
      readOutput(newest);
    }
    sign = ralph.log().last(own).map(Frame::time).orElse(null);
  }

  private void beginToReadRecord() {
    Thread reader = new Thread(this::readRecord, "ralph-page-record-" + session.name());
    reader.setDaemon(true);
    reader.start();
  }

  private void readRecord() {
    try {
      record.current();
    } catch (RalphException e) {
      LOG.log(Level.DEBUG, "cannot read the records of " + session.name(), e);
    }
    isRecordRead = true;
    wake.run();
    mail.read();
    wake.run();
  }

  /** Reads the latest output of the running iterations, or of the newest iteration. */
  private void readOutput(Frame newest) {
    int first = Integer.MAX_VALUE;
    for (Iteration each :
        SessionParts.newest(session.iterations().list(), 0, SessionParts.WINDOW)) {
      boolean counts = first == Integer.MAX_VALUE || each.status() == Iteration.Status.RUNNING;
      first = counts ? each.number() : first;
    }
    Query query =
        Query.of(TopicFilter.of(scope.child("output"))).until(newest.position()).backward();
    int length = 0;
    try (FrameCursor cursor = ralph.log().read(query.limit(MOST_LOOKED_BACK))) {
      Frame frame = cursor.next();
      while (frame != null && length < MOST_SHOWN && iteration(frame) >= first) {
        Piece piece = piece(frame);
        pieces.add(0, piece);
        length += piece.json().length();
        frame = cursor.next();
      }
    }
  }

  private static int iteration(Frame output) {
    return (int) output.meta().integer("iteration").orElse(0);
  }

  /** Returns the text of a frame of output. */
  static String text(Frame output) {
    try {
      return output.isErased() ? "(erased)" : output.content();
    } catch (DamagedException e) {
      return "(lost; see ralph verify)";
    }
  }

  private static Piece piece(Frame output) {
    return new Piece(
        output.id(),
        Meta.of("n", iteration(output))
            .with("text", text(output))
            .with("open", output.meta().isTrue("continues") ? true : null)
            .json());
  }

  @Override
  public void frame(Frame frame) {
    if (!own.matches(frame.topic())) {
      mail.changed();
      return;
    }
    sign = frame.time();
    String topic = frame.topic().name();
    String kind = topic.substring(topic.lastIndexOf('.') + 1);
    areHostsStale |= kind.equals("offer");
    if (kind.equals("output") && frame.topic().equals(scope.child(kind))) {
      pieces.add(piece(frame));
    }
    if (kind.equals("task")) {
      newestTask = frame.id();
    }
    for (SessionParts.Part part : SessionParts.Part.values()) {
      if (part.isOf(kind)) {
        stale.add(part);
      }
    }
  }

  @Override
  public Map<String, String> changed() {
    if (isRecordRead && !wasRecordRead) {
      wasRecordRead = true;
      stale.addAll(List.of(SessionParts.Part.values()));
    } else if (isLoopKnown) {
      // The loop's process may have been killed, which appends no frame.
      stale.addAll(
          List.of(
              SessionParts.Part.STATE,
              SessionParts.Part.NEEDS,
              SessionParts.Part.NOW,
              SessionParts.Part.ITERATIONS));
    }
    Instant now = session.clock().instant();
    Map<String, String> changed = new LinkedHashMap<>();
    for (SessionParts.Part part : stale) {
      Meta made = parts.of(part, refusals.current(), wasRecordRead ? record.current() : null, now);
      boolean isTasks = part == SessionParts.Part.TASKS;
      changed.put(part.key(), (isTasks ? made.with("newest", newestTask) : made).json());
    }
    stale.clear();
    if (areHostsStale) {
      areHostsStale = false;
      changed.put(
          "hosts", offers.find(session.name()).map(PageJson::offered).orElse(Meta.empty()).json());
    }
    mail.addTo(changed);
    if (!hasBegun) {
      hasBegun = true;
      beginToReadRecord();
    }
    isLoopKnown = session.control().running().filter(Control.RunningLoop::live).isPresent();
    return changed;
  }

  @Override
  public List<Piece> pieces() {
    List<Piece> all = List.copyOf(pieces);
    pieces.clear();
    return all;
  }

  @Override
  public @Nullable Instant sign() {
    return sign;
  }

  @Override
  public Duration staysTrueFor() {
    return isLoopKnown ? WHILE_RUNNING : WHILE_IDLE;
  }
}
