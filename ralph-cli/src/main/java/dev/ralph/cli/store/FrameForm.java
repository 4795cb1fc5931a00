package dev.ralph.cli.store;

import dev.ralph.cli.call.Json;
import dev.ralph.cli.terminal.Style;
import dev.ralph.cli.text.SafeText;
import dev.ralph.cli.text.Times;
import dev.ralph.core.internal.text.Excerpt;
import dev.ralph.domain.KeptText;
import dev.ralph.log.Frame;

/** How a frame is shown. */
final class FrameForm {

  /** A content of more characters is cut: one line is not for reading it. */
  private static final int LONGEST = 1_000;

  private FrameForm() {}

  /** Returns a frame on one line. */
  static String line(Frame frame, Style style) {
    String meta = frame.meta().json();
    String content = shown(frame);
    return style.faint(Times.local(frame.time()) + " " + frame.id())
        + " "
        + frame.topic().name()
        + (meta.length() > 2 ? " " + SafeText.line(meta) : "")
        + (frame.isErased() ? " (erased)" : "")
        + (content.isEmpty() ? "" : " " + SafeText.line(content));
  }

  private static String shown(Frame frame) {
    int announced = KeptText.announcedLength(frame);
    if (announced > 0) {
      // How it begins stands in its meta data.
      return "(" + announced + " characters; log --json has all)";
    }
    String content = frame.content();
    return content.length() <= LONGEST
        ? content
        : content.substring(0, Excerpt.end(content, KeptText.KEPT))
            + "… ("
            + content.length()
            + " characters; log --json has all)";
  }

  /** Returns a frame as an object on one line. */
  static String json(Frame frame) {
    return Json.of("frame")
        .with("id", frame.id())
        .with("topic", frame.topic().name())
        .with("time", Times.format(frame.time()))
        .with("meta", frame.meta())
        .with("content", frame.content())
        .with("erased", frame.isErased() ? true : null)
        .json();
  }
}
