package dev.ralph.web.internal.page;

import dev.ralph.RecordEntry;
import dev.ralph.Session;
import dev.ralph.log.Meta;
import java.util.ArrayList;
import java.util.List;

/** A part of an iteration's record, as a conversation is shown. For one thread. */
final class RecordWindow {

  private static final int MOST = 200;
  private static final int MOST_CHARACTERS = 1 << 20;

  /** As much of a prompt as is sent unless all of it is asked for. */
  private static final int PROMPT = 2_000;

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
   * Returns entries from that one on, as many as are sent at once.
   *
   * @param withPrompt whether all of the prompt is sent
   */
  static Meta of(Session session, int iteration, int from, boolean withPrompt) {
    RecordWindow window = new RecordWindow(from, withPrompt);
    session.iterations().record(iteration, window::add);
    return Meta.of("total", window.count).with("from", from).with("items", window.entries);
  }

  private void add(RecordEntry entry) {
    int at = count++;
    if (at < from || entries.size() >= MOST || length > MOST_CHARACTERS) {
      return;
    }
    Meta json = entry.json();
    String prompt = entry.type() == RecordEntry.Type.BEGIN ? entry.string("prompt") : null;
    if (prompt != null && prompt.length() > PROMPT && !withPrompt) {
      json = json.with("prompt", Shown.cut(prompt, PROMPT)).with("length", prompt.length());
    }
    entries.add(json);
    length += json.json().length();
  }
}
