package dev.ralph.core.internal.process;

import dev.ralph.log.RalphException;
import dev.ralph.log.StoreInfo;
import dev.ralph.log.StoreLocation;
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
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.Consumer;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * A word in the environment of a process, inherited by everything that the process starts: it finds
 * those that no longer have a parent to be found by, even after the program that started them was
 * killed.
 *
 * <p>The environment variable {@value #VARIABLE} holds a list of marks, joined by {@code ;}. Marks
 * that are there already are kept, so that a process started by a nested owner carries the marks of
 * every owner above it.
 *
 * <p>What a mark can't find: a process started with a scrubbed environment ({@code env -i}), one
 * that overwrote its environment in memory (some servers do, to set their title), one of another
 * user that this user may not look into. {@link ManagedProcess} finds those too for as long as they
 * descend from a process it knows. Marks are read from {@code /proc}: outside Linux nothing is
 * found.
 *
 * <p>Immutable.
 */
public final class ProcessMark {

  /** The environment variable that holds the marks. */
  public static final String VARIABLE = "RALPH_MARK";

  private static final String SEPARATOR = ";";

  /** Not in the name of a session, so that no mark is another session's. */
  private static final String PART = "/";

  private static final String SHAPE = "[A-Za-z0-9._:/-]{1,200}";
  private static final int LONGEST_CHASE = 10;

  /** An exec is over in a moment; an environment that stays empty is so for good. */
  private static final int MOST_LOOKS = 3;

  private static final int ORPHAN_ROUNDS = 3;
  private static final AtomicLong COUNTER = new AtomicLong();

  private final String text;

  private ProcessMark(String text) {
    this.text = text;
  }

  /**
   * The mark with this text.
   *
   * @param text 1 to 200 of {@code A-Z a-z 0-9 . _ : / -}; to end orphans safely, it should be of
   *     one owner only: anything that carries the mark is ended
   * @throws RalphException with code INVALID for any other text
   */
  public static ProcessMark of(String text) {
    if (!text.matches(SHAPE)) {
      throw RalphException.invalid(
          "process mark "
              + RalphException.quote(text)
              + ": use 1 to 200 of the characters A-Z a-z 0-9 . _ : / -");
    }
    return new ProcessMark(text);
  }

  /**
   * The mark of everything that the loops on a session start: agents, and what these start. A copy
   * of a store has the same id, but never the same folder.
   */
  public static ProcessMark ofLoops(StoreInfo store, String session) {
    return of("ralph:" + store.storeId() + folder(store) + ":" + session);
  }

  /**
   * The mark of what one agent of several starts that work on a session at once. The loop's own
   * mark finds it too; another agent's does not.
   *
   * @param agent its number, or 0 for what is started for none of them
   */
  public ProcessMark ofAgent(int agent) {
    return of(text + PART + agent);
  }

  /** What tells a store's folder from others, however its path is written; empty without one. */
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

  /** A mark that no other process on this machine has, until the next boot. */
  public static ProcessMark unique() {
    return new ProcessMark(Self.NAME + "." + System.nanoTime() + "." + COUNTER.getAndIncrement());
  }

  /** This process, which is asked for once: that reads several files. */
  private static final class Self {
    static final String NAME = name();

    private static String name() {
      ProcessHandle self = ProcessHandle.current();
      // Pid and start time tell processes apart; no random source, the first use of one is slow.
      long started = self.info().startInstant().map(Instant::toEpochMilli).orElse(0L);
      return "p" + self.pid() + "." + started;
    }
  }

  /** The mark as it stands in the variable. */
  public String text() {
    return text;
  }

  /**
   * All live processes whose environment carries this mark, or that of an agent of it, but the
   * current process and its ancestors. A snapshot: processes may end and start meanwhile. Costs
   * some 20 µs a process on the machine.
   *
   * @return the processes, those started first before the others; empty outside Linux
   */
  public List<ProcessHandle> find() {
    List<ProcessHandle> found = new ArrayList<>();
    find(found);
    return found;
  }

  /**
   * Adds what {@link #find()} returns.
   *
   * @return whether that is all: false if a process was to be seen only in the midst of an exec
   */
  boolean find(List<ProcessHandle> found) {
    boolean all = scan(found::add);
    found.sort( // a parent is never younger than its child
        Comparator.comparing((ProcessHandle p) -> p.info().startInstant().orElse(Instant.MAX))
            .thenComparing(ProcessHandle::pid));
    return all;
  }

  /**
   * Ends every process that carries this mark, and their descendants: asks (SIGTERM), waits until
   * they are gone or the grace is over, kills, and looks again until nothing is found, for at most
   * 5 seconds. For orphans of an owner that was killed. Never ends the current process or an
   * ancestor.
   *
   * <p>An interrupt does not stop it; the thread's interrupt status is kept.
   *
   * @param grace how long processes may take to end by themselves; zero kills at once
   * @return the pids of the processes ended, each once; empty when there was nothing to end
   */
  public List<Long> endAll(Duration grace) {
    Deadline killAt = Deadline.after(grace);
    Set<ProcessHandle> ended = new TreeEnder(new ProcessTree(), this, () -> killAt).run();
    return ended.stream().map(ProcessHandle::pid).distinct().collect(Collectors.toList());
  }

  /**
   * Ends, as {@link #endAll} does, the processes that carry this mark and do not descend from the
   * current process: those whose owner was killed, and those that got away from theirs. What a live
   * owner in this program keeps, such as a server, is left to it.
   *
   * @param grace as for {@link #endAll}
   * @return as {@link #endAll} does
   */
  public List<Long> endOrphans(Duration grace) {
    Deadline killAt = Deadline.after(grace);
    Set<Long> ended = new LinkedHashSet<>();
    List<ProcessHandle> orphans = orphans();
    // What is being ended may start another in its last moment.
    for (int round = 0; !orphans.isEmpty() && round < ORPHAN_ROUNDS; round++) {
      ProcessTree tree = new ProcessTree();
      orphans.forEach(tree::add);
      // By descent only: the mark would find those that are to be left alone.
      ProcessMark nobodys = unique();
      new TreeEnder(tree, nobodys, () -> killAt).run().forEach(process -> ended.add(process.pid()));
      orphans = orphans();
    }
    return List.copyOf(ended);
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

  /** Returns the value of the variable with these marks after those that it has. */
  public static String append(@Nullable String value, List<ProcessMark> marks) {
    List<String> all = new ArrayList<>();
    if (value != null && !value.isBlank()) {
      all.addAll(List.of(value.split(SEPARATOR)));
    }
    for (ProcessMark mark : marks) {
      if (!all.contains(mark.text)) {
        all.add(mark.text);
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
   * Kills every process that carries this mark in the moment it is found: a process that lives only
   * to start the next one would be gone by the end of the search.
   *
   * @return the processes killed
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
    Set<ProcessHandle> spared = null; // looked up for the first that is found, mostly never
    Set<Long> seen = new HashSet<>();
    Map<Long, Integer> looks = new HashMap<>();
    boolean all = true;
    // While we look, one that was still to come may pass itself on to a new process and end:
    // what is new since the list was made is looked at too, and again if caught in its exec.
    boolean settled = false;
    for (int round = 0; !settled && round < LONGEST_CHASE; round++) {
      settled = true;
      for (long pid : Procfs.pids()) {
        if (!seen.contains(pid)) {
          settled = false;
          String environment = Procfs.environment(pid);
          boolean inExec = environment != null && environment.isEmpty() && Procfs.isInExec(pid);
          if (inExec && looks.merge(pid, 1, Integer::sum) < MOST_LOOKS) {
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
    // The pid may have passed to another process since: the handle is of the one looked at last.
    return ProcessHandle.of(pid)
        .filter(process -> isIn(Procfs.environment(pid)) && process.isAlive())
        .orElse(null);
  }

  private boolean isIn(@Nullable String environment) {
    return environment != null
        && Procfs.variable(environment, VARIABLE).stream()
            .flatMap(value -> Stream.of(value.split(SEPARATOR)))
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
