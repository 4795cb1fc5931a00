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
 * Shows the messages of a folder, by any writer, delivered or not. Changes nothing. Immutable; safe
 * for use by many threads.
 *
 * <pre>{@code
 * TxView view = TxView.of(TxFolder.of(Path.of(".ai/tx")), Clock.systemUTC());
 * view.newest(TxFilter.ALL.agent("core"), 20).messages().forEach(System.out::println);
 * }</pre>
 */
public final class TxView {

  /** How many files are opened besides those asked for, because their stamps may be wrong. */
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
   * @param clock says which year a stamp without one means
   */
  public static TxView of(TxFolder folder, Clock clock) {
    return new TxView(folder, TxRoutings.NONE, clock);
  }

  /**
   * Returns this view, where a message that the routing of its mesh refuses has that as a problem.
   * The files of the routing are read now; a broken one refuses the messages of its own mesh only.
   *
   * @throws RalphException IO if the folder of the routing can't be read
   */
  public TxView withRouting() {
    return routings(TxRoutings.read(folder.routing()));
  }

  /** Returns this view, with that routing. */
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
   * @param messages oldest first
   * @param leftOut how many files were not looked at, because their names say that they are older
   */
  public record Newest(List<TxListed> messages, int leftOut) {}

  /**
   * Returns the newest messages that a filter lets through. Names tell which files to open: it
   * takes hardly longer in a folder of many. A message whose name is far older than what it says
   * itself may be missed.
   *
   * @param limit how many at most; 0 or more
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
      TxListed listed = filter.mayInclude(each.name()) ? look(each.name(), guess) : null;
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

  /** A stamp has seconds only. */
  private static boolean isOlder(Instant guess, @Nullable TxListed oldest) {
    return oldest == null || guess.isBefore(oldest.time().truncatedTo(ChronoUnit.SECONDS));
  }

  /**
   * Returns the messages that TX has set aside because nobody was there to get them, oldest first.
   *
   * @throws RalphException see {@link #newest}
   */
  public List<TxListed> orphans() {
    List<String> names = folder.names();
    names.removeIf(name -> !TxName.parse(name).isOrphan(null));
    return files(names).stream().filter(TxListed::isOrphan).toList();
  }

  /** Returns the files of these names, oldest first, without those that are gone. */
  public List<TxListed> files(Collection<String> names) {
    List<TxListed> files = new ArrayList<>();
    each(names.toArray(new String[0]), files::add);
    files.sort(OLDEST_FIRST);
    return List.copyOf(files);
  }

  /**
   * Returns the thread that a message belongs to: the message that began it, all that answer it,
   * and what answers these. To find them every file is read, because their names don't tell.
   *
   * @param id of any message of the thread, also of one that is missing
   * @throws RalphException NOT_FOUND if no message has that id and none answers it; else see {@link
   *     #newest}
   */
  public List<ThreadEntry> thread(String id) {
    return ThreadSearch.find(this, id);
  }

  /**
   * Returns why the routing would refuse a message that is written now, or null if it would not, as
   * far as the files tell: how often its thread went the same way is counted among the newest files
   * whose names say that they did.
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
   * Returns what is odd about whom a message is for, in a line, or null if nothing is: it comes
   * from a running instance of a mesh and goes to the mesh itself.
   */
  public @Nullable String doubt(TxMessage message) {
    return routings.doubt(message);
  }

  /**
   * Follows what comes: the newest messages first, then each new file once it can be read.
   *
   * @param limit how many messages that are there already are shown at first
   */
  public TxFollower follow(TxFilter filter, int limit) {
    return new TxFollower(this, filter, limit);
  }

  /** Lists a file, or returns null if it is gone. */
  @Nullable TxListed look(String name) {
    NewestNames order =
        new NewestNames(new String[] {name}, TxFilter.ALL.latest(clock.instant()), this::changed);
    Stamped only = order.next();
    return only == null ? null : look(name, only.time());
  }

  /**
   * Lists a file, or returns null if it is gone.
   *
   * @param guess when it was written if its message does not say
   */
  @Nullable TxListed look(String name, Instant guess) {
    try {
      TxFile file = folder.read(name);
      String refusal = routings.refusal(file.message(), TxIterations.NONE);
      return TxListed.of(file, guess, refusal == null ? routings.doubt(file.message()) : refusal);
    } catch (RalphException e) {
      return Files.exists(folder.file(name)) ? TxListed.unreadable(name, guess, e) : null;
    }
  }

  /** Lists all files, in any order. */
  void each(Consumer<TxListed> action) {
    each(folder.allNames(), action);
  }

  private void each(String[] names, Consumer<TxListed> action) {
    NewestNames order = new NewestNames(names, TxFilter.ALL.latest(clock.instant()), this::changed);
    for (Stamped each = order.next(); each != null; each = order.next()) {
      TxListed listed = look(each.name(), each.time());
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
   * A message of a thread, with its place below the message that it answers.
   *
   * @param id the id of the message
   * @param depth how many messages lead to it; 0 for the one that began the thread
   * @param files the files that hold it, oldest first: several if a file was renamed or there is
   *     another text under the same id. None if it is missing, or was listed already
   * @param repeated whether it was listed already, because messages answer each other in a circle
   */
  public record ThreadEntry(String id, int depth, List<TxListed> files, boolean repeated) {

    /** Returns whether others answer it but no file holds it. */
    public boolean isMissing() {
      return files.isEmpty() && !repeated;
    }
  }
}
