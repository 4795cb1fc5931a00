package dev.ralph.core.internal.process;

import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.HashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;

/**
 * The known processes of one owner, parents before children. A known process stays known until it
 * ends, even if its parent changes.
 *
 * <p>A {@link ProcessHandle} is a pid and a start time. Equality, {@code isAlive} and {@code
 * destroy} check both, so a reused pid is neither known nor signalled.
 *
 * <p>Confined to one thread.
 */
final class ProcessTree {

  private final Set<ProcessHandle> known = new LinkedHashSet<>();
  private boolean sweptAll;

  void add(ProcessHandle process) {
    known.add(process);
  }

  /** Adds the descendants of one process. Cheap: a scan of the machine's processes. */
  void track(ProcessHandle root) {
    known.removeIf(process -> !isLive(process));
    root.descendants().forEach(this::add);
  }

  /**
   * Adds all processes with the mark, and all descendants of known processes. Thorough; the cost
   * does not depend on the number of known processes.
   *
   * @return all live processes, parents first
   */
  List<ProcessHandle> sweep(ProcessMark mark) {
    known.removeIf(process -> !isLive(process));
    List<ProcessHandle> marked = new ArrayList<>();
    sweptAll = mark.find(marked);
    if (!known.isEmpty() || !marked.isEmpty()) {
      Map<ProcessHandle, List<ProcessHandle>> children = childrenByParent();
      // Add descendants before marked processes, whose order does not show their parents.
      addDescendants(children);
      marked.forEach(this::add);
      addDescendants(children);
      known.removeIf(process -> !isLive(process));
    }
    return List.copyOf(known);
  }

  /** Returns whether the last sweep met no process in the middle of an exec. */
  boolean hasSweptAll() {
    return sweptAll;
  }

  private static Map<ProcessHandle, List<ProcessHandle>> childrenByParent() {
    Map<ProcessHandle, List<ProcessHandle>> children = new HashMap<>();
    ProcessHandle.allProcesses()
        .forEach(
            child -> {
              Optional<ProcessHandle> parent = child.parent();
              parent.ifPresent(
                  p -> children.computeIfAbsent(p, none -> new ArrayList<>()).add(child));
            });
    return children;
  }

  private void addDescendants(Map<ProcessHandle, List<ProcessHandle>> children) {
    Deque<ProcessHandle> open = new ArrayDeque<>(known);
    while (!open.isEmpty()) {
      for (ProcessHandle child : children.getOrDefault(open.remove(), List.of())) {
        if (known.add(child)) {
          open.add(child);
        }
      }
    }
  }

  static boolean isLive(ProcessHandle process) {
    return process.isAlive() && !Procfs.isZombie(process.pid());
  }
}
