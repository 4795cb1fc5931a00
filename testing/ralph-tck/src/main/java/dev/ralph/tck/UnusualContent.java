package dev.ralph.tck;

import dev.ralph.log.Batch;
import dev.ralph.log.Draft;
import dev.ralph.log.Frame;
import dev.ralph.log.Meta;
import dev.ralph.log.Topic;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/** Texts that real stores have corrupted, by a name that the frame's metadata contains. */
final class UnusualContent {

  private UnusualContent() {}

  static Map<String, String> all() {
    Map<String, String> contents = new LinkedHashMap<>();
    contents.put("empty", "");
    contents.put("NUL", "\0");
    contents.put("NUL within", "a\0b\0");
    contents.put("quotes", "\"''\"\\\"`{\"a\":1}");
    contents.put("line ends", "\na\r\nb\rc\n\n");
    contents.put("a line end alone", "\n");
    contents.put("what ends lines elsewhere", "\u0085\u2028\u2029\u000b\f\u001c\u001d\u001e");
    contents.put("spaces around", " \t a \u00a0\u3000 ");
    contents.put("byte order marks", "\ufeffa\ufeff\ufffe");
    contents.put("escapes as text", "\\u0000 \\n %n %s $1 ${x} {{x}} &amp; <b>");
    contents.put("capitals of elsewhere", "I\u0130i\u0131 TITLE title \u00df\u1e9e\u01c5");
    contents.put(
        "combining", "e\u0301 \u00e9 \u1112\u1161\u11ab \uac00 👩‍👩‍👧 🇩🇪 \u202eabc\u202c");
    contents.put("like a line of a log", "{\"id\":\"03d2qfc7b0000000000000000\"}\n{\"id\":");
    contents.put("every character of Unicode", everyCharacter());
    // Pairs at odd offsets are split by buffers of even size.
    contents.put("pairs that begin at odd places", "x" + "\ud83d\ude00".repeat(100_000));
    return contents;
  }

  private static String everyCharacter() {
    StringBuilder all = new StringBuilder(2_200_000);
    for (int c = 0; c <= Character.MAX_CODE_POINT; c++) {
      if (c < Character.MIN_SURROGATE || c > Character.MAX_SURROGATE) {
        all.appendCodePoint(c);
      }
    }
    return all.toString();
  }

  /** Returns a batch with a frame per text. */
  static Batch batch(String id, Topic topic, Map<String, String> contents) {
    List<Draft> drafts = new ArrayList<>();
    contents.forEach((name, text) -> drafts.add(Draft.of(topic, Meta.of("name", name), text)));
    return Batch.of(id, drafts);
  }

  /** Checks that the frames have exactly the given texts. */
  static void assertHeld(List<Frame> frames, Map<String, String> contents) {
    if (frames.size() != contents.size()) {
      throw new AssertionError(frames.size() + " frames, not " + contents.size());
    }
    for (Frame frame : frames) {
      String name = String.valueOf(frame.meta().string("name"));
      String expected = contents.getOrDefault(name, "");
      String actual = frame.content();
      if (!actual.equals(expected)) {
        throw new AssertionError("content \"" + name + "\" " + difference(actual, expected));
      }
    }
  }

  private static String difference(String actual, String expected) {
    int at = Arrays.mismatch(actual.toCharArray(), expected.toCharArray());
    return "differs from index "
        + at
        + " on: "
        + unit(actual, at)
        + " is there instead of "
        + unit(expected, at)
        + ", and "
        + actual.length()
        + " characters instead of "
        + expected.length();
  }

  private static String unit(String text, int at) {
    return at < text.length() ? String.format("U+%04X", (int) text.charAt(at)) : "the end";
  }
}
