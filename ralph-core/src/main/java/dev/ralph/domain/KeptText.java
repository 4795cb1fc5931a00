package dev.ralph.domain;

import dev.ralph.core.internal.text.TextExcerpt;
import dev.ralph.log.Frame;
import dev.ralph.log.Meta;
import java.util.OptionalLong;
import org.jspecify.annotations.Nullable;

/**
 * The part of a frame's text that a fold keeps: a short text as a whole, otherwise its beginning.
 * So the size of states and snapshots does not depend on the length of texts. {@link TextSource}
 * reads the rest from the log.
 *
 * <p>Stores keep large contents outside the log, and folds of thousands of frames must not read
 * them. So the appending program {@linkplain #announce announces} the beginning and the length of a
 * long text in the frame's metadata. A long text without an announcement is read once as a whole.
 *
 * @param beginning the text, or its first {@value #KEPT} characters
 * @param length the number of characters of the whole text
 */
public record KeptText(String beginning, int length) {

  /** The number of characters that a fold keeps: 100,000 texts fit into 32 MB. */
  public static final int KEPT = 256;

  /** The number of announced characters, which is the length of a note in prompts. */
  static final int ANNOUNCED = 1_500;

  /**
   * The length of a long text in characters: at most 48 KiB of UTF-8, which all stores keep inline.
   */
  public static final int LONG = 16 * 1024;

  private static final String BEGINS = "begins";
  private static final String LENGTH = "length";
  private static final String MEMBER = '"' + BEGINS + '"';

  /** Returns the kept part of a frame's content. Reads the content unless it is announced. */
  public static KeptText of(Frame frame) {
    String announced = announced(frame);
    return announced == null
        ? of(frame.content())
        : new KeptText(cut(announced, KEPT), announcedLength(frame));
  }

  static KeptText of(String text) {
    return new KeptText(cut(text, KEPT), text.length());
  }

  /** Returns the metadata with an announcement of the content, if the content is long. */
  public static Meta announce(Meta meta, String content) {
    return content.length() <= LONG
        ? meta
        : meta.with(BEGINS, cut(content, ANNOUNCED)).with(LENGTH, content.length());
  }

  /** Returns the announced beginning of a frame, or null. */
  static @Nullable String announced(Frame frame) {
    return announcedLength(frame) == 0 ? null : frame.meta().string(BEGINS);
  }

  /** Returns the announced length of a frame in characters, or 0 without an announcement. */
  public static int announcedLength(Frame frame) {
    if (!frame.meta().json().contains(MEMBER)) {
      return 0; // the usual case; parsing all frames would take a tenth of the time of a fold
    }
    OptionalLong length = frame.meta().integer(LENGTH);
    return length.isPresent()
            && length.getAsLong() > LONG
            && length.getAsLong() < Integer.MAX_VALUE
            && frame.meta().string(BEGINS) != null
        ? (int) length.getAsLong()
        : 0;
  }

  static String cut(String text, int characters) {
    return text.substring(0, TextExcerpt.end(text, Math.max(0, characters)));
  }

  /** Returns whether the whole text is kept. */
  public boolean isWhole() {
    return beginning.length() == length;
  }

  /** Returns the text, or its beginning and an ellipsis. */
  @Override
  public String toString() {
    return isWhole() ? beginning : beginning + "…";
  }
}
