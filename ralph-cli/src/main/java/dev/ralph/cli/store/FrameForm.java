package dev.ralph.cli.store;

import dev.ralph.cli.call.Json;
import dev.ralph.cli.terminal.Style;
import dev.ralph.cli.text.SafeText;
import dev.ralph.cli.text.Times;
import dev.ralph.core.internal.text.TextExcerpt;
import dev.ralph.domain.KeptText;
import dev.ralph.log.Frame;

/** Renders frames as text and JSON. */
final class FrameForm {

  /** The maximum length in characters of content in a line; longer content is cut. */
  private static final int LONGEST = 1_000;

  private FrameForm() {}

  /** Returns a frame as a single line. */
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
      // The meta data already contains the beginning.
      return "(" + announced + " characters; log --json has all)";
    }
    String content = frame.content();
    return content.length() <= LONGEST
        ? content
        : content.substring(0, TextExcerpt.end(content, KeptText.KEPT))
            + "… ("
            + content.length()
            + " characters; log --json has all)";
  }

  /** Returns a frame as a JSON object in a single line. */
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
