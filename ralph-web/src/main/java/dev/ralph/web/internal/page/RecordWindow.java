package dev.ralph.web.internal.page;

import dev.ralph.RecordEntry;
import dev.ralph.Session;
import dev.ralph.log.Meta;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** A part of an iteration's record, as a conversation is shown. For one thread. */
final class RecordWindow {

  private static final int MOST = 200;
  private static final int MOST_CHARACTERS = 1 << 20;

  /** As much of a prompt as is sent unless all of it is asked for. */
  private static final int PROMPT = 2_000;

  /** The last characters of an agent's output that are sent. */
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
   * Returns entries from that one on, as many as are sent at once; with the first ones also the
   * last lines of the agent's output.
   *
   * @param withPrompt whether all of the prompt is sent
   * @param withOutput whether the end of the agent's output is sent with later entries as well
   */
  static Meta of(Session session, int iteration, int from, boolean withPrompt, boolean withOutput) {
    RecordWindow window = new RecordWindow(from, withPrompt);
    session.iterations().record(iteration, window::add);
    Meta result = Meta.of("total", window.count).with("from", from).with("items", window.entries);
    return from > 0 && !withOutput ? result : result.with("output", output(session, iteration));
  }

  /** Returns the last lines that the agent printed, or null if it printed nothing. */
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
      json = json.with("prompt", Shown.cut(prompt, PROMPT)).with("length", prompt.length());
    }
    entries.add(json);
    length += json.json().length();
  }
}
