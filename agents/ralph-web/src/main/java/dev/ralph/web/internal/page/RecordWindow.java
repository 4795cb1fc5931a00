package dev.ralph.web.internal.page;

import dev.ralph.RecordEntry;
import dev.ralph.Session;
import dev.ralph.log.Meta;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** A window of an iteration's record, for the conversation. Not thread-safe. */
final class RecordWindow {

  private static final int MOST = 200;
  private static final int MOST_CHARACTERS = 1 << 20;

  /** The most characters of a prompt, unless the whole prompt is requested. */
  private static final int PROMPT = 2_000;

  /** The most characters of an agent's output, taken from its end. */
  private static final int OUTPUT = 64 * 1024;

  private final int from;
  private final boolean withPrompt;
  private final List<Meta> entries = new ArrayList<>();
  private int count;
  private int length;

  private RecordWindow(int from, boolean withPrompt) {
    this.from = from;
    this.withPrompt = withPrompt;
  }

  /**
   * Returns a window of entries. The window from the first entry also contains the end of the
   * agent's output.
   *
   * @param withPrompt whether to send the whole prompt
   * @param withOutput whether to send the end of the agent's output with later entries as well
   */
  static Meta of(Session session, int iteration, int from, boolean withPrompt, boolean withOutput) {
    RecordWindow window = new RecordWindow(from, withPrompt);
    session.iterations().record(iteration, window::add);
    Meta result = Meta.of("total", window.count).with("from", from).with("items", window.entries);
    return from > 0 && !withOutput ? result : result.with("output", output(session, iteration));
  }

  /** Returns the end of the agent's output, or null without output. */
  private static @Nullable Meta output(Session session, int iteration) {
    StringBuilder tail = new StringBuilder();
    long[] length = {0};
    session
        .iterations()
        .transcript(
            iteration,
            piece -> {
              length[0] += piece.length();
              tail.append(piece);
              if (tail.length() > 2 * OUTPUT) {
                tail.delete(0, tail.length() - OUTPUT);
              }
            });
    if (tail.length() == 0) {
      return null;
    }
    int cut = Math.max(0, tail.length() - OUTPUT);
    cut = cut > 0 && Character.isLowSurrogate(tail.charAt(cut)) ? cut + 1 : cut;
    String text = tail.substring(cut);
    return Meta.of("text", text).with("length", length[0] == text.length() ? null : length[0]);
  }

  private void add(RecordEntry entry) {
    int at = count++;
    if (at < from || entries.size() >= MOST || length > MOST_CHARACTERS) {
      return;
    }
    Meta json = entry.json();
    if (entry.type() == RecordEntry.Type.TOOL_CALL) {
      Meta arguments = entry.data().object("arguments");
      json = json.with("line", arguments == null ? "" : ToolCallText.of(arguments));
    }
    String prompt = entry.type() == RecordEntry.Type.BEGIN ? entry.string("prompt") : null;
    if (prompt != null && prompt.length() > PROMPT && !withPrompt) {
      json = json.with("prompt", PageJson.cut(prompt, PROMPT)).with("length", prompt.length());
    }
    entries.add(json);
    length += json.json().length();
  }
}
