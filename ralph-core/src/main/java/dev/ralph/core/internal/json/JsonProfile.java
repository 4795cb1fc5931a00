package dev.ralph.core.internal.json;

import dev.ralph.core.internal.text.TextExcerpt;
import dev.ralph.domain.KeptText;
import org.jspecify.annotations.Nullable;

/** The length of texts and the members for a kind of reader. */
public enum JsonProfile {
  /** Complete texts and all members: a single part of the command, and Spring. */
  FULL,

  /** All members; long texts are cut: lists of the command. */
  LISTED,

  /** Short texts, and the members that the page shows. */
  PAGE;

  /** The most characters of a text on the page. A beginning of this length is cheap to read. */
  public static final int BEGINNING = 1_500;

  /** Returns the number of characters of a text with a length in characters. */
  public int characters(int length) {
    if (this == LISTED) {
      return length > KeptText.LONG ? KeptText.KEPT : length;
    }
    return this == PAGE ? Math.min(length, BEGINNING) : length;
  }

  /** Returns the length of a text as a member, or null if the shown text is complete. */
  @Nullable Integer length(String shown, int length) {
    return this == FULL || shown.length() == length ? null : length;
  }

  /** Returns a text without a length member; the page gets the beginning and an ellipsis. */
  @Nullable String brief(@Nullable String text) {
    return this != PAGE || text == null ? text : TextExcerpt.cut(text, BEGINNING);
  }

  /** Returns a value unless the reader is the page. */
  <T> @Nullable T unlessPage(@Nullable T value) {
    return this == PAGE ? null : value;
  }
}
