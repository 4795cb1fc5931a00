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
 * The processes known to belong to one owner, parents before children. Once known, a process stays
 * known until it ends, even if it has another parent by then.
 *
 * <p>A {@link ProcessHandle} is a pid and a start time: equality, {@code isAlive} and {@code
 * destroy} all mind both, so that a pid which passed to a stranger is neither known nor signalled.
 *
 * <p>Confined to one thread.
 */
final class ProcessTree {

  private final Set<ProcessHandle> known = new LinkedHashSet<>();
  private boolean sweptAll;

  void add(ProcessHandle process) {
    known.add(process);
  }

  /** Cheap: takes in the descendants of one process. One scan of the machine's processes. */
  void track(ProcessHandle root) {
    known.removeIf(process -> !isLive(process));
    root.descendants().forEach(this::add);
  }

  /**
   * Thorough: takes in what carries the mark and what descends from any known process, however many
   * of those there are.
   *
   * @return all that live, parents first
   */
  List<ProcessHandle> sweep(ProcessMark mark) {
    known.removeIf(process -> !isLive(process));
    List<ProcessHandle> marked = new ArrayList<>();
    sweptAll = mark.find(marked);
    if (!known.isEmpty() || !marked.isEmpty()) {
      Map<ProcessHandle, List<ProcessHandle>> children = childrenByParent();
      // Descent first: it knows who is whose parent, the mark does not.
      addDescendants(children);
      marked.forEach(this::add);
      addDescendants(children);
      known.removeIf(process -> !isLive(process));
    }
    return List.copyOf(known);
  }

  /** Whether no process hid from the newest sweep in the midst of an exec. */
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
