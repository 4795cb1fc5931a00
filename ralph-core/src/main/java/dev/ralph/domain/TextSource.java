package dev.ralph.domain;

import dev.ralph.log.DamagedException;
import dev.ralph.log.Frame;
import dev.ralph.log.RalphException;
import java.util.Optional;
import java.util.function.Function;

/** Reads the rest of a {@link KeptText} from the log. Safe for use by many threads. */
public final class TextSource {

  private final Function<String, Optional<Frame>> frames;

  /**
   * Creates a reader.
   *
   * @param frames returns the frame with an id
   */
  public TextSource(Function<String, Optional<Frame>> frames) {
    this.frames = frames;
  }

  /**
   * Returns a whole text; empty if the frame was erased.
   *
   * @param frame the id of the frame with the text
   * @throws RalphException DAMAGED if the text is damaged
   */
  public String whole(String frame, KeptText text) {
    return text.isWhole() ? text.beginning() : known(frame).content();
  }

  /**
   * Returns whether two texts are equal. Reads the log only if length and beginning are equal. A
   * damaged text equals no text.
   *
   * @param frame the id of the frame with the text
   */
  public boolean is(String frame, KeptText text, String whole) {
    if (text.length() != whole.length() || !whole.startsWith(text.beginning())) {
      return false;
    }
    try {
      return text.isWhole() || whole(frame, text).equals(whole);
    } catch (DamagedException e) {
      return false;
    }
  }

  /**
   * Returns the beginning of a text, as far as it is readable.
   *
   * @param frame the id of the frame with the text
   * @param characters the largest number of characters
   */
  public String beginning(String frame, KeptText text, int characters) {
    if (text.isWhole() || characters <= text.beginning().length()) {
      return KeptText.cut(text.beginning(), characters);
    }
    String known = text.beginning();
    try {
      Frame read = known(frame);
      String announced = KeptText.announced(read);
      if (announced != null) {
        known = announced;
      }
      boolean suffices = announced != null && characters <= KeptText.ANNOUNCED;
      return KeptText.cut(suffices ? known : read.content(), characters);
    } catch (DamagedException e) {
      return known;
    }
  }

  /** Returns the frame with an id, or empty if the log has none. */
  public Optional<Frame> frame(String id) {
    return frames.apply(id);
  }

  private Frame known(String id) {
    return frame(id)
        .orElseThrow(
            () ->
                RalphException.damaged(
                    "the text of the frame " + id + " can't be read any more; see ralph verify"));
  }
}
