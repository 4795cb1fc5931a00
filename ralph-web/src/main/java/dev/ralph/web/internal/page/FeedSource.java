package dev.ralph.web.internal.page;

import dev.ralph.log.Frame;
import dev.ralph.log.TopicFilter;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** What a {@link Feed} shows. For one thread at a time. */
interface FeedSource {

  /**
   * What was appended to a text that only grows, such as an agent's output.
   *
   * @param id of the frame that it stands in
   * @param json an object
   */
  record Piece(String id, String json) {}

  /** Returns which frames change what is shown. */
  TopicFilter filter();

  /**
   * Looks at what is there already.
   *
   * @param newest the newest frame, or null where there is none
   * @param wake makes the feed ask for {@link #changed} soon; may be called from any thread
   */
  void begin(@Nullable Frame newest, Runnable wake);

  /** Takes note of a frame that was appended. */
  void frame(Frame frame);

  /** Returns the parts that may have changed since this was last asked, by name, as objects. */
  Map<String, String> changed();

  /** Returns the pieces that came since this was last asked. */
  List<Piece> pieces();

  /** Returns when something last happened in what is shown, or null where nothing ever did. */
  @Nullable Instant sign();

  /** Returns after which time a part may have changed without a frame. */
  Duration staysTrueFor();
}
