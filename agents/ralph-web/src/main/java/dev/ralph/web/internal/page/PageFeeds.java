package dev.ralph.web.internal.page;

import dev.ralph.log.FrameLog;
import java.util.HashMap;
import java.util.Map;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/** The feeds with listeners, by name. Safe for use by many threads. */
final class PageFeeds implements AutoCloseable {

  private final FrameLog log;
  private final ReentrantLock lock = new ReentrantLock();
  private final Map<String, PageFeed> open = new HashMap<>();

  PageFeeds(FrameLog log) {
    this.log = log;
  }

  /**
   * Adds a listener to a feed.
   *
   * @param source creates the content if the feed has no listener yet
   * @param lastId see {@link PageFeed#add}
   */
  void add(
      String name,
      Supplier<FeedSource> source,
      PageFeed.Listener listener,
      @Nullable String lastId) {
    lock.lock();
    try {
      open.computeIfAbsent(name, any -> new PageFeed(name, log, source.get()))
          .add(listener, lastId);
    } finally {
      lock.unlock();
    }
  }

  /** Removes a listener, and closes the feed if no listener is left. */
  void remove(String name, PageFeed.Listener listener) {
    lock.lock();
    try {
      PageFeed feed = open.get(name);
      if (feed != null && feed.remove(listener)) {
        open.remove(name);
        feed.close();
      }
    } finally {
      lock.unlock();
    }
  }

  @Override
  public void close() {
    lock.lock();
    try {
      open.values().forEach(PageFeed::close);
      open.clear();
    } finally {
      lock.unlock();
    }
  }
}
