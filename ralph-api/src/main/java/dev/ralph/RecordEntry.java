package dev.ralph;

import dev.ralph.log.Meta;
import dev.ralph.log.RalphException;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.time.Instant;
import java.time.format.DateTimeParseException;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Objects;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * Something that an agent did in an iteration, for its record: see {@link Turn#record} and {@link
 * IterationLog#record}. Immutable.
 *
 * @param type what it is
 * @param data its particulars, by the names that stand at its type
 * @param time when it was recorded; null until then
 */
public record RecordEntry(Type type, Meta data, @Nullable Instant time) {

  /** The types of entry, and the members of their data. More may be added. */
  public enum Type {
    /**
     * The iteration began; written by the loop. {@code prompt}, the {@code folder} to work in, its
     * {@code role} where the loop has several and, where they can be told, the {@code branch} and
     * {@code commit} that are checked out there; where the run has a budget, {@code budget} with
     * {@code max_cost_usd} and {@code max_tokens}, the parts {@code raised_cost_usd} and {@code
     * raised_tokens} of these limits that were added during the run, the usage {@code used} by the
     * run's iterations that had ended, and the numbers of its {@code running} iterations.
     */
    BEGIN,
    /** What does the work: see {@link RecordEntry#client}. */
    CLIENT,
    /** The model said something: see {@link RecordEntry#text}. */
    TEXT,
    /** The model called a tool: see {@link RecordEntry#toolCall}. */
    TOOL_CALL,
    /** A call of a tool ended: see {@link RecordEntry#toolResult}. */
    TOOL_RESULT,
    /** Something had to be permitted: see {@link RecordEntry#permission}. */
    PERMISSION,
    /** The model failed, and is asked again: see {@link RecordEntry#retry}. */
    RETRY,
    /** A request was paid for: see {@link RecordEntry#used}. */
    USED,
    /** Something is missing, because it was erased, lost or too much: {@code reason}. */
    GAP,
    /** The iteration ended; written by the loop. {@code branch} and {@code commit} as then. */
    END,
    /** A gate was run behind the iteration; written by the loop: see {@link RecordEntry#gate}. */
    GATE;

    private final String word = name().toLowerCase(Locale.ROOT);

    /** Returns the type as it stands in frames and answers. */
    public String word() {
      return word;
    }
  }

  /** Makes an entry of any type. */
  public RecordEntry {
    Objects.requireNonNull(type, "type");
    Objects.requireNonNull(data, "data");
  }

  /**
   * Returns what does the work, as far as is known. It may be told again once more is known; what
   * is null or empty then is as it was told before.
   *
   * @param name of the client, such as {@code Claude Code}
   * @param version of the client, or null where not known
   * @param model that is used, or null where not known
   * @param arguments that the user gave the client
   * @param session the client's own id of its session, to go on with it by hand; null where not
   *     known
   */
  public static RecordEntry client(
      String name,
      @Nullable String version,
      @Nullable String model,
      List<String> arguments,
      @Nullable String session) {
    return of(
        Type.CLIENT,
        Meta.of("name", unicode(name))
            .with("version", unicodeOrNull(version))
            .with("model", unicodeOrNull(model))
            .with(
                "arguments",
                arguments.isEmpty() ? null : arguments.stream().map(RecordEntry::unicode).toList())
            .with("session", unicodeOrNull(session)));
  }

  /** Returns what a model said, a message or a part of one. */
  public static RecordEntry text(String text) {
    return of(Type.TEXT, Meta.of("text", unicode(text)));
  }

  /**
   * Returns a call of a tool that a model has made.
   *
   * @param id of the call, which its result names
   * @param tool the tool's name, as the client has it
   * @param arguments a JSON object; anything else is kept as its member {@code text}
   */
  public static RecordEntry toolCall(String id, String tool, String arguments) {
    return of(
        Type.TOOL_CALL,
        Meta.of("id", unicode(id))
            .with("tool", unicode(tool))
            .with("arguments", object(arguments)));
  }

  /**
   * Returns how a call of a tool ended.
   *
   * @param id of the call
   * @param failed whether the tool says that it failed
   * @param text what the model is told
   */
  public static RecordEntry toolResult(String id, boolean failed, String text) {
    return of(
        Type.TOOL_RESULT,
        Meta.of("id", unicode(id))
            .with("failed", failed ? true : null)
            .with("text", unicode(text)));
  }

  /**
   * Returns what had to be permitted, and what came of it.
   *
   * @param id of the call of a tool that it is about, or null
   * @param asked what was to be permitted, such as a tool's name
   * @param answer such as {@code allowed} or {@code denied}
   */
  public static RecordEntry permission(@Nullable String id, String asked, String answer) {
    return of(
        Type.PERMISSION,
        Meta.of("asked", unicode(asked))
            .with("answer", unicode(answer))
            .with("id", unicodeOrNull(id)));
  }

  /**
   * Returns that the model failed and the client asks it again.
   *
   * @param reason why it failed
   * @param attempt the number of the next try, from 1
   * @param pause until then, or null where not known
   */
  public static RecordEntry retry(String reason, int attempt, @Nullable Duration pause) {
    return of(
        Type.RETRY,
        Meta.of("reason", unicode(reason))
            .with("attempt", attempt)
            .with("pause_ms", pause == null ? null : pause.toMillis()));
  }

  /**
   * Returns what a request to a model used, or several together. Those of an iteration add up.
   *
   * @param model or null where not known
   */
  public static RecordEntry used(@Nullable String model, Usage usage) {
    return of(Type.USED, Meta.of("usage", usage.json()).with("model", unicodeOrNull(model)));
  }

  /**
   * Returns how a gate went that was run because the agent had claimed that the work is done.
   *
   * @param name of the gate
   * @param exitCode of the command that decided it, or null where none did
   * @param reason why it was not passed, in a line or several; empty where it was
   */
  public static RecordEntry gate(
      String name, boolean passed, @Nullable Integer exitCode, String reason) {
    return of(
        Type.GATE,
        Meta.of("name", unicode(name))
            .with("passed", passed)
            .with("exit_code", exitCode)
            .with("reason", reason.isEmpty() ? null : unicode(reason)));
  }

  private static RecordEntry of(Type type, Meta data) {
    return new RecordEntry(type, data, null);
  }

  private static Meta object(String json) {
    try {
      return Meta.parse(json);
    } catch (RalphException noObject) {
      return Meta.of("text", unicode(json));
    }
  }

  /** What is not Unicode is replaced: nobody can keep it. */
  private static String unicode(String text) {
    return new String(text.getBytes(StandardCharsets.UTF_8), StandardCharsets.UTF_8);
  }

  private static @Nullable String unicodeOrNull(@Nullable String text) {
    return text == null ? null : unicode(text);
  }

  /** Returns a text of the data, or null where there is none of that name. */
  public @Nullable String string(String name) {
    return data.string(name);
  }

  /** Returns this entry with the time when it is recorded. */
  public RecordEntry at(Instant time) {
    return new RecordEntry(type, data, time);
  }

  /** Returns this entry with all its texts as the redactor returns them. */
  public RecordEntry redacted(Redactor redactor) {
    return new RecordEntry(type, redacted(data, redactor), time);
  }

  private static Meta redacted(Meta json, Redactor redactor) {
    Meta redacted = Meta.empty();
    for (String key : json.keys()) {
      redacted = redacted.with(redactor.redact(key), redactedValue(json.value(key), redactor));
    }
    return redacted;
  }

  private static @Nullable Object redactedValue(@Nullable Object value, Redactor redactor) {
    if (value instanceof String text) {
      return redactor.redact(text);
    } else if (value instanceof Meta object) {
      return redacted(object, redactor);
    } else if (value instanceof Double number) {
      return number.toString(); // one that no JSON writer of Java's would write as a number
    } else if (value instanceof List<?> elements) {
      List<Object> all = new ArrayList<>();
      for (Object element : elements) {
        Object redacted = redactedValue(element, redactor);
        all.add(redacted == null ? "null" : redacted);
      }
      return all;
    }
    return value;
  }

  /** Returns this entry as it stands in frames: its {@code time} and {@code type}, and its data. */
  public Meta json() {
    return json(Meta.empty());
  }

  /** Returns the same behind other members, which an answer begins with. */
  public Meta json(Meta before) {
    String head =
        before.with("time", time == null ? null : time.toString()).with("type", type.word()).json();
    return data.keys().isEmpty()
        ? Meta.stored(head)
        : Meta.stored(head.substring(0, head.length() - 1) + ',' + data.json().substring(1));
  }

  /** Returns the entry that {@link #json()} stands for; empty where a newer program wrote it. */
  public static Optional<RecordEntry> of(Meta json) {
    for (Type type : Type.values()) {
      if (type.word.equals(json.string("type"))) {
        Meta data = json.without("time").without("type");
        return Optional.of(new RecordEntry(type, data, timeOf(json.string("time"))));
      }
    }
    return Optional.empty();
  }

  private static @Nullable Instant timeOf(@Nullable String text) {
    try {
      return text == null ? null : Instant.parse(text);
    } catch (DateTimeParseException noTime) {
      return null;
    }
  }
}
