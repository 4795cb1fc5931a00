package dev.ralph.cli.session;

import dev.ralph.RecordEntry;
import dev.ralph.Usage;
import dev.ralph.cli.terminal.Style;
import dev.ralph.cli.text.SafeText;
import dev.ralph.cli.text.Times;
import dev.ralph.log.Meta;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/** Renders the record of an iteration as a conversation, entry by entry. Not thread-safe. */
public final class RecordForm {

  /** The maximum length of text in a line. */
  private static final int LONGEST = 200;

  /** The length of an abbreviated commit id, as in git. */
  private static final int COMMIT = 10;

  private static final String BELOW = "\n         ";

  private final Style style;
  private final @Nullable String showsPrompt;

  /** The names of called tools by call id. */
  private final Map<String, String> tools = new HashMap<>();

  /** The newest call, whose result is shown without the tool's name. */
  private String newest = "";

  /**
   * @param showsPrompt the key or option that shows the prompt, or null to show the whole prompt
   */
  public RecordForm(Style style, @Nullable String showsPrompt) {
    this.style = style;
    this.showsPrompt = showsPrompt;
  }

  /** Returns an entry as text of a line or more. */
  public String text(RecordEntry entry) {
    String time = entry.time() == null ? "        " : Times.local(entry.time()).substring(11);
    return style.faint(time) + " " + words(entry);
  }

  private String words(RecordEntry entry) {
    return switch (entry.type()) {
      case BEGIN -> begin(entry);
      case CLIENT -> client(entry);
      case TEXT -> whole(string(entry, "text"));
      case TOOL_CALL -> call(entry);
      case TOOL_RESULT -> result(entry);
      case PERMISSION ->
          "permission for " + line(string(entry, "asked")) + ": " + line(string(entry, "answer"));
      case RETRY -> retry(entry);
      case USED -> used(entry);
      case GAP -> style.bad("[missing: " + line(string(entry, "reason")) + "]");
      case END -> "ended" + checkedOut(entry);
      case GATE -> gate(entry);
    };
  }

  private String begin(RecordEntry entry) {
    String prompt = string(entry, "prompt");
    String role = entry.string("role");
    return (role == null ? "" : line(role) + " ")
        + "in "
        + line(string(entry, "folder"))
        + checkedOut(entry)
        + BELOW
        + (showsPrompt == null
            ? style.heading("Prompt") + BELOW + whole(prompt)
            : style.faint("prompt of " + prompt.length() + " characters; shown by " + showsPrompt));
  }

  private static String checkedOut(RecordEntry entry) {
    String branch = entry.string("branch");
    String commit = entry.string("commit");
    return (branch == null ? "" : " on " + line(branch))
        + (commit == null
            ? ""
            : " at " + SafeText.line(commit.substring(0, Math.min(COMMIT, commit.length()))));
  }

  private static String client(RecordEntry entry) {
    List<String> words = new ArrayList<>();
    String version = entry.string("version");
    words.add(string(entry, "name") + (version == null ? "" : " " + version));
    for (String name : List.of("model", "session")) {
      String value = entry.string(name);
      if (value != null) {
        words.add(name + " " + value);
      }
    }
    List<String> arguments = entry.data().strings("arguments");
    if (!arguments.isEmpty()) {
      words.add("arguments " + String.join(" ", arguments));
    }
    return line(String.join(", ", words));
  }

  private String call(RecordEntry entry) {
    String tool = line(string(entry, "tool"));
    newest = string(entry, "id");
    tools.put(newest, tool);
    Meta arguments = Objects.requireNonNullElse(entry.data().object("arguments"), Meta.empty());
    List<String> names = arguments.keys();
    String only = names.size() == 1 ? arguments.string(names.get(0)) : null;
    return "[" + tool + "] " + line(only == null ? arguments.json() : only);
  }

  private String result(RecordEntry entry) {
    String id = string(entry, "id");
    String tool = id.equals(newest) ? "" : "[" + tools.getOrDefault(id, "?") + "] ";
    String text = line(string(entry, "text"));
    return "→ " + tool + (entry.data().isTrue("failed") ? style.bad("failed: ") + text : text);
  }

  private static String retry(RecordEntry entry) {
    long pause = entry.data().integer("pause_ms").orElse(-1);
    return "the model failed: "
        + line(string(entry, "reason"))
        + "; attempt "
        + entry.data().integer("attempt").orElse(1)
        + (pause < 0 ? "" : ", in " + (pause + 500) / 1000 + " s");
  }

  private String used(RecordEntry entry) {
    Meta usage = entry.data().object("usage");
    String model = entry.string("model");
    return style.faint(
        "used "
            + (usage == null ? Usage.UNKNOWN : Usage.of(usage))
            + (model == null ? "" : " (" + line(model) + ")"));
  }

  private String gate(RecordEntry entry) {
    String name = line(string(entry, "name"));
    long code = entry.data().integer("exit_code").orElse(0);
    String reason = string(entry, "reason");
    return entry.data().isTrue("passed")
        ? "gate passed: " + name
        : style.bad("gate failed" + (code == 0 ? ": " : " with exit code " + code + ": "))
            + name
            + (reason.isEmpty() ? "" : BELOW + whole(reason));
  }

  private static String string(RecordEntry entry, String name) {
    return Objects.requireNonNullElse(entry.string(name), "");
  }

  private static String whole(String text) {
    return SafeText.text(text.strip()).replace("\n", BELOW);
  }

  /** Returns the text in a single line, cut to the maximum length. */
  static String line(@Nullable String text) {
    String line = String.valueOf(text).strip().replaceAll("\\s*\\R\\s*", " ⏎ ");
    return SafeText.line(line.length() <= LONGEST ? line : line.substring(0, LONGEST) + "…");
  }
}
