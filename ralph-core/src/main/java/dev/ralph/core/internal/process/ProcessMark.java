package dev.ralph.core.internal.process;

import dev.ralph.internal.StoreLocation;
import dev.ralph.log.RalphException;
import dev.ralph.log.StoreInfo;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
import java.util.HashSet;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.Consumer;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * A mark in the environment of a process, which all its descendants inherit. The mark finds
 * orphaned descendants, even after the starting program was killed.
 *
 * <p>The environment variable {@value #VARIABLE} contains a list of marks, separated by {@code ;}.
 * Existing marks are kept, so a process of a nested owner has the marks of all owners above it.
 *
 * <p>A mark does not find processes with a cleared environment ({@code env -i}). The mark also
 * misses unreadable processes of foreign users, and processes that overwrote their environment in
 * memory, as some servers do to set their title. {@link ManagedProcess} finds those processes as
 * long as they descend from a known process. Marks are read from {@code /proc}; on systems other
 * than Linux no process is found.
 *
 * <p>Threads may share a mark. Its only state is whether the mark was {@linkplain #isUsed() used}.
 */
public final class ProcessMark {

  /** The environment variable that holds the marks. */
  public static final String VARIABLE = "RALPH_MARK";

  private static final String SEPARATOR = ";";

  /** A character that session names cannot contain, so marks of sessions never collide. */
  private static final String PART = "/";

  private static final String SHAPE = "[A-Za-z0-9._:/-]{1,200}";
  private static final int LONGEST_CHASE = 10;

  /**
   * The number of reads of an empty environment. An exec is short; afterwards the environment is
   * empty for good.
   */
  private static final int MOST_READS = 3;

  private static final int ORPHAN_ROUNDS = 3;
  private static final AtomicLong COUNTER = new AtomicLong();

  private final String text;

  /** Whether a process may have the mark; shared by the marks of the agents. */
  private final AtomicBoolean used;

  private ProcessMark(String text, AtomicBoolean used) {
    this.text = text;
    this.used = used;
  }

  /**
   * Returns the mark with a text.
   *
   * @param text 1 to 200 of {@code A-Z a-z 0-9 . _ : / -}. Each owner needs its own text, because
   *     ending orphans ends all processes with the mark
   * @throws RalphException with code INVALID for any other text
   */
  public static ProcessMark of(String text) {
    return of(text, new AtomicBoolean());
  }

  private static ProcessMark of(String text, AtomicBoolean used) {
    if (!text.matches(SHAPE)) {
      throw RalphException.invalid(
          "process mark "
              + RalphException.quote(text)
              + ": use 1 to 200 of the characters A-Z a-z 0-9 . _ : / -");
    }
    return new ProcessMark(text, used);
  }

  /**
   * Returns the mark of all processes that the loops of a session start, such as agents and their
   * descendants. Copies of a store have the same id, but different folders.
   */
  public static ProcessMark ofLoops(StoreInfo store, String session) {
    String text = "ralph:" + store.storeId() + folder(store) + ":" + session;
    // The children of a program that an earlier loop of the session has started inherit the mark.
    return of(text, new AtomicBoolean(isIn(Self.MARKS, text)));
  }

  /**
   * Returns the mark of the processes of one agent, when several agents work on a session. The mark
   * of the loop finds these processes too; the mark of another agent does not.
   *
   * @param agent the number of the agent, or 0 for processes of no agent
   */
  public ProcessMark ofAgent(int agent) {
    return of(text + PART + agent, used);
  }

  /**
   * Returns the identity of the store's folder, independent of its path; empty without a folder.
   */
  private static String folder(StoreInfo store) {
    try {
      Path folder = StoreLocation.of(store.location()).folder();
      return folder == null ? "" : "." + Files.getAttribute(folder, "unix:ino");
    } catch (IOException
        | RalphException
        | IllegalArgumentException
        | UnsupportedOperationException none) {
      return "";
    }
  }

  /** Returns a mark that is unique on this machine until the next boot. */
  public static ProcessMark unique() {
    return new ProcessMark(
        Self.NAME + "." + System.nanoTime() + "." + COUNTER.getAndIncrement(), new AtomicBoolean());
  }

  /** The identity of this process, computed once because it reads several files. */
  private static final class Self {
    static final String NAME = name();
    static final @Nullable String MARKS = System.getenv(VARIABLE);

    private static String name() {
      ProcessHandle self = ProcessHandle.current();
      // The pid and the start time identify a process. The first use of a random source is slow.
      long started = self.info().startInstant().map(Instant::toEpochMilli).orElse(0L);
      return "p" + self.pid() + "." + started;
    }
  }

  /** Returns the mark as written in the variable. The mark counts as used from then on. */
  public String text() {
    used.set(true);
    return text;
  }

  /**
   * Returns whether a process started by this program may have this mark, or the mark of one of its
   * agents: the text was read, written into an environment, or inherited by this program. Before, a
   * search can find only processes of other programs.
   */
  public boolean isUsed() {
    return used.get();
  }

  /**
   * Returns all live processes with this mark or the mark of one of its agents. The current process
   * and its ancestors are excluded. The result is a snapshot: processes may start and end
   * meanwhile. A call takes about 20 µs per process on the machine.
   *
   * @return the processes in the order of their start; empty on systems other than Linux
   */
  public List<ProcessHandle> find() {
    List<ProcessHandle> found = new ArrayList<>();
    find(found);
    return found;
  }

  /**
   * Adds the result of {@link #find()} to a list.
   *
   * @return whether the result is complete; false if a process was in the middle of an exec
   */
  boolean find(List<ProcessHandle> found) {
    boolean all = scan(found::add);
    found.sort( // a parent is never younger than its child
        Comparator.comparing((ProcessHandle p) -> p.info().startInstant().orElse(Instant.MAX))
            .thenComparing(ProcessHandle::pid));
    return all;
  }

  /**
   * Ends all processes with this mark and their descendants, for orphans of a killed owner. The
   * processes receive SIGTERM, and are killed after the grace. The search is repeated until no
   * process is found, for at most 5 seconds. The current process and its ancestors are never ended.
   *
   * <p>An interrupt does not end the call; the interrupt status of the thread is kept.
   *
   * @param grace the time that the processes have to exit; zero kills at once
   * @return the pids of the ended processes, each once; may be empty
   */
  public List<Long> endAll(Duration grace) {
    Deadline killAt = Deadline.after(grace);
    Set<ProcessHandle> ended = new TreeEnder(new ProcessTree(), this, () -> killAt).run();
    return ended.stream().map(ProcessHandle::pid).distinct().collect(Collectors.toList());
  }

  /**
   * Ends the processes with this mark that do not descend from the current process, like {@link
   * #endAll}. Their owner was killed, or they escaped from it. Processes of a live owner in this
   * program, such as servers, are kept.
   *
   * @param grace as for {@link #endAll}
   * @return as for {@link #endAll}
   */
  public List<Long> endOrphans(Duration grace) {
    Deadline killAt = Deadline.after(grace);
    Set<Long> ended = new LinkedHashSet<>();
    List<ProcessHandle> orphans = orphans();
    // A process may start another process just before its end.
    for (int round = 0; !orphans.isEmpty() && round < ORPHAN_ROUNDS; round++) {
      ProcessTree tree = new ProcessTree();
      orphans.forEach(tree::add);
      // Find processes only by descent, because the mark would also find the processes to keep.
      ProcessMark nobodys = unique();
      new TreeEnder(tree, nobodys, () -> killAt).run().forEach(process -> ended.add(process.pid()));
      orphans = orphans();
    }
    return List.copyOf(ended);
  }

  /** Ends orphans like {@link #endOrphans}, without a search if the mark is not {@link #isUsed}. */
  public void endOrphansIfUsed(Duration grace) {
    if (isUsed()) {
      endOrphans(grace);
    }
  }

  private List<ProcessHandle> orphans() {
    return find().stream().filter(process -> !descendsFromCurrent(process)).toList();
  }

  private static boolean descendsFromCurrent(ProcessHandle process) {
    long current = ProcessHandle.current().pid();
    Optional<ProcessHandle> ancestor = process.parent();
    while (ancestor.isPresent() && ancestor.get().pid() != current) {
      ancestor = ancestor.get().parent();
    }
    return ancestor.isPresent();
  }

  /** Returns the value of the variable with marks appended. */
  public static String append(@Nullable String value, List<ProcessMark> marks) {
    List<String> all = new ArrayList<>();
    if (value != null && !value.isBlank()) {
      all.addAll(List.of(value.split(SEPARATOR)));
    }
    for (ProcessMark mark : marks) {
      if (!all.contains(mark.text())) {
        all.add(mark.text());
      }
    }
    return String.join(SEPARATOR, all);
  }

  private static Set<ProcessHandle> currentAndAncestors() {
    Set<ProcessHandle> line = new HashSet<>();
    Optional<ProcessHandle> next = Optional.of(ProcessHandle.current());
    while (next.isPresent() && line.add(next.get())) {
      next = next.get().parent();
    }
    return line;
  }

  /**
   * Kills each process with this mark as soon as it is found. A process that only starts a
   * successor would have exited at the end of the search.
   *
   * @return the killed processes
   */
  List<ProcessHandle> killFound() {
    List<ProcessHandle> killed = new ArrayList<>();
    scan(
        process -> {
          process.destroyForcibly();
          killed.add(process);
        });
    return killed;
  }

  private boolean scan(Consumer<ProcessHandle> onFound) {
    Set<ProcessHandle> spared = null; // computed for the first found process, usually never
    Set<Long> seen = new HashSet<>();
    Map<Long, Integer> reads = new HashMap<>();
    boolean all = true;
    // A process that was not yet examined may start a new process and exit. Therefore examine
    // processes newer than the list, and repeat processes in the middle of an exec.
    boolean settled = false;
    for (int round = 0; !settled && round < LONGEST_CHASE; round++) {
      settled = true;
      for (long pid : Procfs.pids()) {
        if (!seen.contains(pid)) {
          settled = false;
          String environment = Procfs.environment(pid);
          boolean inExec = environment != null && environment.isEmpty() && Procfs.isInExec(pid);
          if (inExec && reads.merge(pid, 1, Integer::sum) < MOST_READS) {
            continue;
          }
          all &= !inExec;
          seen.add(pid);
          ProcessHandle carrier = carrier(pid, environment);
          if (carrier != null) {
            spared = spared == null ? currentAndAncestors() : spared;
            if (!spared.contains(carrier)) {
              onFound.accept(carrier);
            }
          }
        }
      }
    }
    return all && settled;
  }

  private @Nullable ProcessHandle carrier(long pid, @Nullable String environment) {
    if (!isIn(environment)) {
      return null;
    }
    // The pid may belong to a new process by now, so read the environment again after creating the
    // handle.
    return ProcessHandle.of(pid)
        .filter(process -> isIn(Procfs.environment(pid)) && process.isAlive())
        .orElse(null);
  }

  private boolean isIn(@Nullable String environment) {
    return environment != null
        && Procfs.variable(environment, VARIABLE).stream().anyMatch(value -> isIn(value, text));
  }

  private static boolean isIn(@Nullable String value, String text) {
    return value != null
        && Stream.of(value.split(SEPARATOR))
            .anyMatch(mark -> mark.equals(text) || mark.startsWith(text + PART));
  }

  @Override
  public boolean equals(@Nullable Object other) {
    return other instanceof ProcessMark && text.equals(((ProcessMark) other).text);
  }

  @Override
  public int hashCode() {
    return text.hashCode();
  }

  @Override
  public String toString() {
    return text;
  }
}
