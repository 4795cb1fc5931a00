package dev.ralph.web.internal.page;

import dev.ralph.log.Meta;
import dev.ralph.web.internal.http.EventStream;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.StringJoiner;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * An event stream with several feeds, so that the tabs of a browser share one connection. The id of
 * each event lists the last frame of every feed. Safe for use by many threads.
 */
final class SharedStream {

  private final EventStream stream;
  private final Map<String, String> ids = new LinkedHashMap<>();

  SharedStream(EventStream stream) {
    this.stream = stream;
    String last = stream.lastEventId();
    for (String each : last == null ? new String[0] : last.split(";")) {
      int equals = each.indexOf('=');
      if (equals >= 0) {
        ids.put(each.substring(0, equals), each.substring(equals + 1));
      }
    }
  }

  /**
   * Adds a feed.
   *
   * @param name the name, which is empty for the feed of all sessions
   * @param source creates the content if the feed has no listener yet
   */
  void add(PageFeeds feeds, String name, Supplier<FeedSource> source) {
    PageFeed.Listener listener = (id, json) -> send(name, id, json);
    String last;
    synchronized (ids) {
      last = ids.get(name);
    }
    feeds.add(name, source, listener, last);
    stream.onClosed(() -> feeds.remove(name, listener));
  }

  /** Sends the reason why a feed is not available. */
  void refuse(String name, @Nullable String reason) {
    Meta refusal = Meta.of("feed", name).with("message", String.valueOf(reason));
    stream.send(null, "refused", refusal.json());
  }

  private boolean send(String name, @Nullable String id, String json) {
    synchronized (ids) {
      if (id == null) {
        return stream.send(null, "feed " + name, json);
      }
      ids.put(name, id);
      StringJoiner all = new StringJoiner(";");
      ids.forEach((feed, last) -> all.add(feed + "=" + last));
      return stream.send(all.toString(), "feed " + name, json);
    }
  }
}
