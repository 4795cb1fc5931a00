package dev.ralph.domain;

import dev.ralph.core.internal.text.Excerpt;
import dev.ralph.log.Frame;
import dev.ralph.log.Meta;
import java.util.OptionalLong;
import org.jspecify.annotations.Nullable;

/**
 * The text of a frame as a fold keeps it, so that neither a state nor its snapshot grows with what
 * people write: whole if it is short, else its beginning. The rest stays in the log, where {@link
 * TextSource} finds it.
 *
 * <p>A large content lies beside the log, and folding thousands of them must not read them. So the
 * program that appends one says in the frame's meta data how it begins and how long it is: {@link
 * #announce}. A frame that does not is read whole, once.
 *
 * @param beginning the text, or its first {@value #KEPT} characters
 * @param length how many characters the whole text has
 */
public record KeptText(String beginning, int length) {

  /** A few lines: 100,000 of them fit into 32 MB. */
  public static final int KEPT = 256;

  /** As much as a prompt shows of a note. */
  static final int ANNOUNCED = 1_500;

  /** At most 48 KiB in UTF-8, which stand in the log itself in every store so far. */
  public static final int LONG = 16 * 1024;

  private static final String BEGINS = "begins";
  private static final String LENGTH = "length";
  private static final String MEMBER = '"' + BEGINS + '"';

  /** Returns what is kept of a frame's content. Reads it only if the frame does not announce it. */
  public static KeptText of(Frame frame) {
    String announced = announced(frame);
    return announced == null
        ? of(frame.content())
        : new KeptText(cut(announced, KEPT), announcedLength(frame));
  }

  static KeptText of(String text) {
    return new KeptText(cut(text, KEPT), text.length());
  }

  /** Returns the meta data of a frame, with how its content begins if that is long. */
  public static Meta announce(Meta meta, String content) {
    return content.length() <= LONG
        ? meta
        : meta.with(BEGINS, cut(content, ANNOUNCED)).with(LENGTH, content.length());
  }

  /** Returns the beginning that a frame announces, or null if it announces none. */
  static @Nullable String announced(Frame frame) {
    return announcedLength(frame) == 0 ? null : frame.meta().string(BEGINS);
  }

  /** Returns how many characters a frame announces, or 0 if it announces no long text. */
  public static int announcedLength(Frame frame) {
    if (!frame.meta().json().contains(MEMBER)) {
      return 0; // most announce nothing, and to parse all of these takes a tenth of a fold's time
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
    return text.substring(0, Excerpt.end(text, Math.max(0, characters)));
  }

  /** Returns whether nothing of the text has to be read from the log. */
  public boolean isWhole() {
    return beginning.length() == length;
  }

  /** Returns the text, or its beginning and an ellipsis. */
  @Override
  public String toString() {
    return isWhole() ? beginning : beginning + "…";
  }
}
