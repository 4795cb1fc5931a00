package dev.ralph.tx;

import dev.ralph.log.ClosedException;
import dev.ralph.log.RalphException;
import dev.ralph.store.support.internal.file.FolderWatch;
import dev.ralph.store.support.internal.file.FolderWatch.Change;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.attribute.BasicFileAttributes;
import java.nio.file.attribute.FileTime;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * Follows a folder and returns each new file once, as soon as its front matter is complete. A file
 * that can't be read is returned as unreadable after two seconds without a change, and again if it
 * can be read later. Not thread-safe; any thread may call {@link #close()}.
 */
public final class TxFollower implements AutoCloseable {

  /** The time that a writer may take for a file. */
  private static final Duration SLOW_WRITER = Duration.ofSeconds(2);

  /**
   * A file that is not a message, or not yet.
   *
   * @param since the time of the first observation of this state, by {@link System#nanoTime()}
   * @param shown whether the file was returned
   */
  private record Unreadable(long size, FileTime time, long since, boolean shown) {

    boolean isLike(BasicFileAttributes now) {
      return size == now.size() && time.equals(now.lastModifiedTime());
    }
  }

  private final TxView view;
  private final TxFilter filter;
  private final int limit;
  private final FolderWatch watch;
  private final BlockingQueue<Change> changes = new LinkedBlockingQueue<>();
  private final Map<String, Unreadable> unreadable = new HashMap<>();
  private Set<String> known = new HashSet<>();
  private final ListedFolder folder;
  private boolean begun;
  private volatile boolean closed;

  TxFollower(TxView view, TxFilter filter, int limit) {
    this.view = view;
    this.filter = filter;
    this.limit = limit;
    this.folder = new ListedFolder(view.folder());
    this.watch = new FolderWatch(view.folder().messages());
  }

  /**
   * Returns new messages, oldest first. The first call returns the existing messages.
   *
   * @param timeout the maximum time to wait; the first call does not wait
   * @return the messages; empty on timeout
   * @throws InterruptedException if the thread is interrupted while waiting; no message is lost
   * @throws ClosedException once closed
   * @throws RalphException IO if the folder can't be read
   */
  public List<TxListed> next(Duration timeout) throws InterruptedException {
    long begin = System.nanoTime();
    long patience = nanos(timeout);
    if (!begun) {
      begun = true;
      return first();
    }
    while (true) {
      Change change = changes.poll(patience - (System.nanoTime() - begin), TimeUnit.NANOSECONDS);
      if (closed) {
        throw RalphException.closed("the view of " + view.folder());
      }
      if (change == null) {
        return List.of();
      }
      Map<String, TxListed> news = new HashMap<>();
      for (Change next = change; next != null; next = changes.poll()) {
        take(next, news);
      }
      checkUnreadable(news);
      if (!news.isEmpty()) {
        List<TxListed> inOrder = new ArrayList<>(news.values());
        inOrder.sort(TxView.OLDEST_FIRST);
        return inOrder;
      }
    }
  }

  private static long nanos(Duration timeout) {
    try {
      return timeout.toNanos();
    } catch (ArithmeticException longer) {
      return Long.MAX_VALUE;
    }
  }

  private List<TxListed> first() {
    watch.start(changes::add);
    List<TxListed> newest = view.newest(names().toArray(new String[0]), filter, limit).messages();
    for (TxListed each : newest) {
      BasicFileAttributes file = each.file() == null ? attributes(each.name()) : null;
      if (file != null) {
        keep(each.name(), file, true);
      }
    }
    return newest;
  }

  /** Lists the folder, and remembers its names. */
  private List<String> names() {
    List<String> names = Stream.of(folder.list()).filter(TxFolder::isMessage).toList();
    known = new HashSet<>(names);
    return names;
  }

  private void take(Change change, Map<String, TxListed> news) {
    for (String name : change.files()) {
      if (TxFolder.isMessage(name) && known.add(name)) {
        check(name, news);
      }
    }
    boolean isTime = change.files().isEmpty() || !change.isAll();
    if (isTime && folder.mayHaveChanged()) {
      Set<String> before = known;
      for (String name : names()) {
        if (!before.contains(name)) {
          check(name, news);
        }
      }
    }
  }

  private void check(String name, Map<String, TxListed> news) {
    if (!filter.mayInclude(name)) {
      return;
    }
    // Read the attributes before the file, so the content is never older, and a change meanwhile is
    // detected later.
    BasicFileAttributes file = attributes(name);
    TxListed listed = file == null ? null : view.list(name);
    if (file == null || listed == null) {
      known.remove(name); // deleted; may appear again
    } else if (listed.file() == null) {
      keep(name, file, false);
    } else if (filter.includes(listed)) {
      news.put(name, listed);
    }
  }

  private void keep(String name, BasicFileAttributes file, boolean shown) {
    unreadable.put(
        name, new Unreadable(file.size(), file.lastModifiedTime(), System.nanoTime(), shown));
  }

  /** Checks the unreadable files again. */
  private void checkUnreadable(Map<String, TxListed> news) {
    for (Map.Entry<String, Unreadable> each : List.copyOf(unreadable.entrySet())) {
      String name = each.getKey();
      Unreadable before = each.getValue();
      BasicFileAttributes now = attributes(name);
      boolean isDue = !before.shown && System.nanoTime() - before.since > SLOW_WRITER.toNanos();
      if (now == null) {
        unreadable.remove(name);
      } else if (!before.isLike(now)) {
        unreadable.remove(name);
        check(name, news);
      } else if (isDue) {
        TxListed listed = view.list(name);
        if (listed != null && filter.includes(listed)) {
          news.put(name, listed);
        }
        if (listed != null && listed.file() == null) {
          unreadable.put(name, new Unreadable(before.size, before.time, before.since, true));
        } else {
          unreadable.remove(name);
        }
      }
    }
  }

  private @Nullable BasicFileAttributes attributes(String name) {
    try {
      return Files.readAttributes(view.folder().file(name), BasicFileAttributes.class);
    } catch (IOException gone) {
      return null;
    }
  }

  @Override
  public void close() {
    closed = true;
    watch.close();
    changes.add(new Change(Set.of(), true));
  }
}
