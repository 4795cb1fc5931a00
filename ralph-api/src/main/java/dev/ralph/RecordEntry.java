package dev.ralph;

import com.fasterxml.jackson.annotation.JsonValue;
import dev.ralph.internal.UnicodeText;
import dev.ralph.log.Meta;
import dev.ralph.log.RalphException;
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
 * An entry of the record of an iteration: see {@link Turn#record} and {@link IterationLog#record}.
 * Immutable.
 *
 * @param type the type
 * @param data the members that the type names
 * @param time the time of the recording; null before
 */
public record RecordEntry(Type type, Meta data, @Nullable Instant time) {

  /** The types of entries, with the members of their data. Later versions may add types. */
  public enum Type {
    /**
     * The iteration begins; written by the loop. {@code prompt}, the working {@code folder}, the
     * {@code role} if the loop has several, and the {@code branch} and {@code commit} of the folder
     * if known. If the run has a budget, {@code budget} with {@code max_cost_usd} and {@code
     * max_tokens}, the parts {@code raised_cost_usd} and {@code raised_tokens} of these limits
     * added during the run, the usage {@code used} by the run's ended iterations, and the numbers
     * of its {@code running} iterations.
     */
    BEGIN,
    /** The client of the model: see {@link RecordEntry#client}. */
    CLIENT,
    /** Text of the model: see {@link RecordEntry#text}. */
    TEXT,
    /** The model called a tool: see {@link RecordEntry#toolCall}. */
    TOOL_CALL,
    /** The result of a tool call: see {@link RecordEntry#toolResult}. */
    TOOL_RESULT,
    /** A request for permission: see {@link RecordEntry#permission}. */
    PERMISSION,
    /** A retry after a failure of the model: see {@link RecordEntry#retry}. */
    RETRY,
    /** The usage of a request: see {@link RecordEntry#used}. */
    USED,
    /** Missing entries, which were erased, lost or too long: {@code reason}. */
    GAP,
    /** The iteration ends; written by the loop. {@code branch} and {@code commit} at the end. */
    END,
    /** A gate after the iteration; written by the loop: see {@link RecordEntry#gate}. */
    GATE;

    private final String word = name().toLowerCase(Locale.ROOT);

    /** Returns the word of the type in frames and JSON answers. */
    @JsonValue
    public String word() {
      return word;
    }
  }

  /** Creates an entry of any type. */
  public RecordEntry {
    Objects.requireNonNull(type, "type");
    Objects.requireNonNull(data, "data");
  }

  /**
   * Returns an entry with the client and model of the iteration. A later entry adds details; its
   * null and empty members keep their earlier values.
   *
   * @param name the name of the client, such as {@code Claude Code}
   * @param version the version of the client, or null if unknown
   * @param model the name of the model, or null if unknown
   * @param arguments the user's arguments of the client
   * @param session the client's session id, with which a person can continue the session, or null
   *     if unknown
   */
  public static RecordEntry client(
      String name,
      @Nullable String version,
      @Nullable String model,
      List<String> arguments,
      @Nullable String session) {
    return of(
        Type.CLIENT,
        Meta.of("name", UnicodeText.of(name))
            .with("version", unicodeOrNull(version))
            .with("model", unicodeOrNull(model))
            .with(
                "arguments",
                arguments.isEmpty() ? null : arguments.stream().map(UnicodeText::of).toList())
            .with("session", unicodeOrNull(session)));
  }

  /** Returns an entry with text of the model: a message or a part of a message. */
  public static RecordEntry text(String text) {
    return of(Type.TEXT, Meta.of("text", UnicodeText.of(text)));
  }

  /**
   * Returns an entry of a tool call.
   *
   * @param id the id of the call, to which its result refers
   * @param tool the client's name of the tool
   * @param arguments a JSON object; other text is stored as the member {@code text} of an object
   */
  public static RecordEntry toolCall(String id, String tool, String arguments) {
    return of(
        Type.TOOL_CALL,
        Meta.of("id", UnicodeText.of(id))
            .with("tool", UnicodeText.of(tool))
            .with("arguments", object(arguments)));
  }

  /**
   * Returns an entry with the result of a tool call.
   *
   * @param id the id of the call
   * @param failed whether the tool reported a failure
   * @param text the result text for the model
   */
  public static RecordEntry toolResult(String id, boolean failed, String text) {
    return of(
        Type.TOOL_RESULT,
        Meta.of("id", UnicodeText.of(id))
            .with("failed", failed ? true : null)
            .with("text", UnicodeText.of(text)));
  }

  /**
   * Returns an entry with a request for permission and its answer.
   *
   * @param id the id of the tool call concerned, or null
   * @param asked the requested permission, such as the name of a tool
   * @param answer the answer, such as {@code allowed} or {@code denied}
   */
  public static RecordEntry permission(@Nullable String id, String asked, String answer) {
    return of(
        Type.PERMISSION,
        Meta.of("asked", UnicodeText.of(asked))
            .with("answer", UnicodeText.of(answer))
            .with("id", unicodeOrNull(id)));
  }

  /**
   * Returns an entry of a retry after a failure of the model.
   *
   * @param reason the reason of the failure
   * @param attempt the number of the next attempt, from 1
   * @param pause the pause before the attempt, or null if unknown
   */
  public static RecordEntry retry(String reason, int attempt, @Nullable Duration pause) {
    return of(
        Type.RETRY,
        Meta.of("reason", UnicodeText.of(reason))
            .with("attempt", attempt)
            .with("pause_ms", pause == null ? null : pause.toMillis()));
  }

  /**
   * Returns an entry with the usage of one or more requests to a model. All entries of an iteration
   * add up.
   *
   * @param model the name of the model, or null if unknown
   */
  public static RecordEntry used(@Nullable String model, Usage usage) {
    return of(Type.USED, Meta.of("usage", usage.json()).with("model", unicodeOrNull(model)));
  }

  /**
   * Returns an entry with the result of a gate.
   *
   * @param name the name of the gate
   * @param exitCode the exit code of the gate's command, or null if it is no command
   * @param reason the reason of a failure, in one or more lines; empty if the gate passed
   */
  public static RecordEntry gate(
      String name, boolean passed, @Nullable Integer exitCode, String reason) {
    return of(
        Type.GATE,
        Meta.of("name", UnicodeText.of(name))
            .with("passed", passed)
            .with("exit_code", exitCode)
            .with("reason", reason.isEmpty() ? null : UnicodeText.of(reason)));
  }

  private static RecordEntry of(Type type, Meta data) {
    return new RecordEntry(type, data, null);
  }

  private static Meta object(String json) {
    try {
      return Meta.parse(json);
    } catch (RalphException noObject) {
      return Meta.of("text", UnicodeText.of(json));
    }
  }

  private static @Nullable String unicodeOrNull(@Nullable String text) {
    return text == null ? null : UnicodeText.of(text);
  }

  /** Returns a string member of the data, or null if it is missing. */
  public @Nullable String string(String name) {
    return data.string(name);
  }

  /** Returns a copy with the time of the recording. */
  public RecordEntry at(Instant time) {
    return new RecordEntry(type, data, time);
  }

  /** Returns a copy whose texts are redacted. */
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
      return number.toString(); // infinite, so no JSON number
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

  /** Returns the JSON of this entry in frames: {@code time}, {@code type} and the data. */
  @JsonValue
  public Meta json() {
    return json(Meta.empty());
  }

  /** Returns the JSON of this entry after other members. */
  public Meta json(Meta before) {
    String head =
        before.with("time", time == null ? null : time.toString()).with("type", type.word()).json();
    return data.keys().isEmpty()
        ? Meta.stored(head)
        : Meta.stored(head.substring(0, head.length() - 1) + ',' + data.json().substring(1));
  }

  /** Parses the result of {@link #json()}; empty for an unknown type of a newer version. */
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
