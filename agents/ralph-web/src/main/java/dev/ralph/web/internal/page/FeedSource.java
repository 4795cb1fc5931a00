package dev.ralph.web.internal.page;

import dev.ralph.log.Frame;
import dev.ralph.log.TopicFilter;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** The content of a {@link PageFeed}. Not thread-safe. */
interface FeedSource {

  /**
   * A piece appended to a growing text, such as the output of an agent.
   *
   * @param id the id of its frame
   * @param json a JSON object
   */
  record Piece(String id, String json) {}

  /** Returns a filter for the frames that change the content. */
  TopicFilter filter();

  /**
   * Reads the present content.
   *
   * @param newest the newest frame, or null for none
   * @param wake requests a call of {@link #changed}; may be called from any thread
   */
  void begin(@Nullable Frame newest, Runnable wake);

  /** Processes an appended frame. */
  void frame(Frame frame);

  /** Returns the parts that may have changed since the last call, as JSON objects by name. */
  Map<String, String> changed();

  /** Returns the new pieces since the last call. */
  List<Piece> pieces();

  /** Returns the time of the newest event in the content, or null for none. */
  @Nullable Instant sign();

  /** Returns the time after which a part may change without a frame. */
  Duration staysTrueFor();
}
