package dev.ralph.cli.store;

import dev.ralph.cli.call.Json;
import dev.ralph.cli.terminal.Style;
import dev.ralph.cli.text.SafeText;
import dev.ralph.cli.text.Times;
import dev.ralph.domain.KeptText;
import dev.ralph.log.Frame;

/** How a frame is shown. */
final class FrameForm {

  private FrameForm() {}

  /** Returns a frame on one line. */
  static String line(Frame frame, Style style) {
    String meta = frame.meta().json();
    // What is long says in its meta data how it begins.
    int length = KeptText.announcedLength(frame);
    String content =
        length > 0 ? "(" + length + " characters; log --json has all)" : frame.content();
    return style.faint(Times.local(frame.time()) + " " + frame.id())
        + " "
        + frame.topic().name()
        + (meta.length() > 2 ? " " + SafeText.line(meta) : "")
        + (frame.isErased() ? " (erased)" : "")
        + (content.isEmpty() ? "" : " " + SafeText.line(content));
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
