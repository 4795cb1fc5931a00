package dev.ralph.log;

import java.util.List;

/**
 * The frame that a store appends to a topic after it has erased frames there, so that those who
 * have read them notice; see {@link FrameLog#erase}. For stores and for what keeps states of a log.
 */
public final class Erasure {

  private static final String ACTION = "erased";
  private static final String BEGIN = Meta.of("action", ACTION).with("ids", List.of()).json();
  private static final String MARK = BEGIN.substring(0, BEGIN.indexOf('['));

  private Erasure() {}

  /**
   * Returns the frame to append once frames of that topic are erased.
   *
   * @param ids those of the erased frames, at least one
   */
  public static Draft notice(Topic topic, List<String> ids) {
    return Draft.of(topic, Meta.of("action", ACTION).with("ids", List.copyOf(ids)));
  }

  /** Returns whether the frame is such a notice. */
  public static boolean isNotice(Frame frame) {
    return frame.meta().json().startsWith(MARK);
  }

  /** Returns the ids of the erased frames that a notice names. */
  public static List<String> ids(Frame notice) {
    return notice.meta().strings("ids");
  }

  /** Returns the failure to report when a frame that is to be erased is not in the log. */
  public static RalphException unknown(String id) {
    return RalphException.notFound(
        "there is no frame " + RalphException.quote(id) + " to erase; nothing was erased");
  }
}
