package dev.ralph.tx;

import dev.ralph.log.RalphException;
import dev.ralph.tx.NewestNames.Stamped;
import java.io.IOException;
import java.nio.file.Files;
import java.time.Clock;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.ArrayList;
import java.util.Collection;
import java.util.Comparator;
import java.util.List;
import java.util.Objects;
import java.util.PriorityQueue;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * Shows the messages of a folder, by all writers, delivered or not. Changes nothing. Immutable;
 * safe for use by many threads.
 *
 * <pre>{@code
 * TxView view = TxView.of(TxFolder.of(Path.of(".ai/tx")), Clock.systemUTC());
 * view.newest(TxFilter.ALL.agent("core"), 20).messages().forEach(System.out::println);
 * }</pre>
 */
public final class TxView {

  /** The number of additional files to open, because their stamps may be wrong. */
  private static final int DOUBTFUL = 100;

  static final Comparator<TxListed> OLDEST_FIRST =
      Comparator.comparing(TxListed::time).thenComparing(TxListed::name);

  private final TxFolder folder;
  private final TxRoutings routings;
  private final Clock clock;

  private TxView(TxFolder folder, TxRoutings routings, Clock clock) {
    this.folder = Objects.requireNonNull(folder, "folder");
    this.routings = Objects.requireNonNull(routings, "routings");
    this.clock = Objects.requireNonNull(clock, "clock");
  }

  /**
   * Returns a view of a folder.
   *
   * @param clock determines the year of stamps, which have none
   */
  public static TxView of(TxFolder folder, Clock clock) {
    return new TxView(folder, TxRoutings.NONE, clock);
  }

  /**
   * Returns this view with routing: messages that the routing of their mesh rejects have a problem.
   * The routing files are read now; a broken file rejects only the messages of its own mesh.
   *
   * @throws RalphException IO if the folder of the routing can't be read
   */
  public TxView withRouting() {
    return routings(TxRoutings.read(folder.routing()));
  }

  /** Returns this view with a routing. */
  TxView routings(TxRoutings routings) {
    return new TxView(folder, routings, clock);
  }

  /** Returns the folder. */
  TxFolder folder() {
    return folder;
  }

  /**
   * The newest messages.
   *
   * @param messages the messages, oldest first
   * @param leftOut the number of files that were not opened because their names are older
   */
  public record Newest(List<TxListed> messages, int leftOut) {}

  /**
   * Returns the newest messages that match a filter. The names determine which files to open, so
   * large folders take hardly longer. A message is missed if the stamp of its name is far older
   * than its timestamp.
   *
   * @param limit the maximum number of messages; 0 or more
   * @throws RalphException IO if the folder can't be read
   */
  public Newest newest(TxFilter filter, int limit) {
    return newest(folder.allNames(), filter, limit);
  }

  Newest newest(String[] names, TxFilter filter, int limit) {
    if (limit < 0) {
      throw RalphException.invalid("the limit must not be negative: " + limit);
    }
    NewestNames order = new NewestNames(names, filter.latest(clock.instant()), this::changed);
    Instant earliest = filter.earliest();
    PriorityQueue<TxListed> found = new PriorityQueue<>(OLDEST_FIRST);
    int doubtful = 0;
    int leftOut = 0;
    for (Stamped each = order.next(); each != null; each = order.next()) {
      Instant guess = each.time();
      if (earliest != null && guess.isBefore(earliest)) {
        break;
      }
      if (found.size() == limit && (isOlder(guess, found.peek()) || doubtful++ == DOUBTFUL)) {
        leftOut = order.left() + 1;
        break;
      }
      TxListed listed = filter.mayInclude(each.name()) ? list(each.name()) : null;
      if (listed != null && filter.includes(listed)) {
        found.add(listed);
        if (found.size() > limit) {
          found.remove();
        }
      }
    }
    List<TxListed> messages = new ArrayList<>(found);
    messages.sort(OLDEST_FIRST);
    return new Newest(List.copyOf(messages), leftOut);
  }

  /** Compares by seconds, the precision of stamps. */
  private static boolean isOlder(Instant guess, @Nullable TxListed oldest) {
    return oldest == null || guess.isBefore(oldest.time().truncatedTo(ChronoUnit.SECONDS));
  }

  /**
   * Returns the messages that TX has set aside because no agent was there to receive them, oldest
   * first.
   *
   * @throws RalphException see {@link #newest}
   */
  public List<TxListed> orphans() {
    List<String> names = folder.names();
    names.removeIf(name -> !TxName.parse(name).isOrphan(null));
    return files(names).stream().filter(TxListed::isOrphan).toList();
  }

  /** Returns the files with these names, oldest first. Missing files are left out. */
  public List<TxListed> files(Collection<String> names) {
    List<TxListed> files = new ArrayList<>();
    each(names.toArray(new String[0]), files::add);
    files.sort(OLDEST_FIRST);
    return List.copyOf(files);
  }

  /**
   * Returns the thread of a message: the first message, all answers to it, and the answers to
   * these. Reads all files, because names do not contain the thread.
   *
   * @param id the id of any message of the thread, even of a missing message
   * @throws RalphException NOT_FOUND if no message has the id and none answers it; otherwise see
   *     {@link #newest}
   */
  public List<ThreadEntry> thread(String id) {
    return ThreadSearch.find(this, id);
  }

  /**
   * Returns the reason why the routing would reject a new message, or null if it would not. The
   * route counts of the thread are an estimate: they come from the newest files whose names match
   * the route.
   *
   * @throws RalphException IO if the folder can't be read
   */
  public @Nullable String refusal(TxMessage message) {
    String refusal = routings.refusal(message, TxIterations.NONE);
    return refusal == null && routings.haveRules(message)
        ? ThreadSearch.iterations(folder, message).refusal(message)
        : refusal;
  }

  /**
   * Returns a warning about the recipient of a message, in a single line, or null. The warning
   * concerns a message from a running instance of a mesh to the mesh itself.
   */
  public @Nullable String doubt(TxMessage message) {
    return routings.doubt(message);
  }

  /**
   * Follows the folder: returns the newest messages first, then each new file once it can be read.
   *
   * @param limit the maximum number of existing messages to return first
   */
  public TxFollower follow(TxFilter filter, int limit) {
    return new TxFollower(this, filter, limit);
  }

  /**
   * Lists a file, or returns null if it does not exist. If its timestamp is missing, its time is
   * the latest time before now that the stamp of the name can stand for. A filter that reads the
   * stamps as those of an earlier year does not change this time.
   */
  @Nullable TxListed list(String name) {
    NewestNames order =
        new NewestNames(new String[] {name}, TxFilter.ALL.latest(clock.instant()), this::changed);
    Stamped only = order.next();
    return only == null ? null : list(name, only.time());
  }

  /**
   * Lists a file, or returns null if it does not exist.
   *
   * @param guess the time of the message if its timestamp is missing
   */
  @Nullable TxListed list(String name, Instant guess) {
    try {
      TxFile file = folder.read(name);
      String refusal = routings.refusal(file.message(), TxIterations.NONE);
      return TxListed.of(file, guess, refusal == null ? routings.doubt(file.message()) : refusal);
    } catch (RalphException e) {
      return Files.exists(folder.file(name)) ? TxListed.unreadable(name, guess, e) : null;
    }
  }

  /** Lists all files, in undefined order. */
  void each(Consumer<TxListed> action) {
    each(folder.allNames(), action);
  }

  private void each(String[] names, Consumer<TxListed> action) {
    NewestNames order = new NewestNames(names, TxFilter.ALL.latest(clock.instant()), this::changed);
    for (Stamped each = order.next(); each != null; each = order.next()) {
      TxListed listed = list(each.name(), each.time());
      if (listed != null) {
        action.accept(listed);
      }
    }
  }

  private Instant changed(String name) {
    try {
      return Files.getLastModifiedTime(folder.file(name)).toInstant();
    } catch (IOException gone) {
      return Instant.EPOCH;
    }
  }

  /**
   * A message of a thread, with its depth below the first message.
   *
   * @param id the id of the message
   * @param depth the number of messages above it; 0 for the first message of the thread
   * @param files the files of the message, oldest first: several if a file was renamed or another
   *     text has the same id. Empty if the message is missing or was listed already
   * @param repeated whether the message was listed already, because messages can answer each other
   *     in a circle
   */
  public record ThreadEntry(String id, int depth, List<TxListed> files, boolean repeated) {

    /** Returns whether no file contains the message. Only its answers exist. */
    public boolean isMissing() {
      return files.isEmpty() && !repeated;
    }
  }
}
