package dev.ralph.log;

import java.util.List;

/**
 * The store's notice to readers of a topic after an erasure of frames. Readers drop the erased
 * frames; see {@link FrameLog#erase}. For stores and for classes that keep folded states.
 */
public final class Erasure {

  private static final String ACTION = "erased";
  private static final String BEGIN = Meta.of("action", ACTION).with("ids", List.of()).json();
  private static final String MARK = BEGIN.substring(0, BEGIN.indexOf('['));

  private Erasure() {}

  /**
   * Returns the notice to append after frames of a topic were erased.
   *
   * @param ids the ids of the erased frames, at least one
   */
  public static Draft notice(Topic topic, List<String> ids) {
    return Draft.of(topic, Meta.of("action", ACTION).with("ids", List.copyOf(ids)));
  }

  /** Returns whether the frame is a notice. */
  public static boolean isNotice(Frame frame) {
    return frame.meta().json().startsWith(MARK);
  }

  /** Returns the ids of the erased frames of a notice. */
  public static List<String> ids(Frame notice) {
    return notice.meta().strings("ids");
  }

  /** Returns the failure to erase a frame that the log does not have. */
  public static RalphException unknown(String id) {
    return RalphException.notFound(
        "no frame " + RalphException.quote(id) + " to erase; nothing was erased");
  }
}
