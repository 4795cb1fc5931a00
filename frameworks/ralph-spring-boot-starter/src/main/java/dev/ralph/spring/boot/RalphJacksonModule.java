package dev.ralph.spring.boot;

import dev.ralph.Control;
import dev.ralph.Iteration;
import dev.ralph.LoopEvent;
import dev.ralph.LoopResult;
import dev.ralph.Message;
import dev.ralph.Note;
import dev.ralph.Question;
import dev.ralph.Session;
import dev.ralph.StopReason;
import dev.ralph.Task;
import dev.ralph.Usage;
import dev.ralph.core.internal.json.JsonProfile;
import dev.ralph.core.internal.json.SessionJson;
import dev.ralph.log.Meta;
import java.time.Instant;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;
import tools.jackson.core.JsonGenerator;
import tools.jackson.databind.SerializationContext;
import tools.jackson.databind.module.SimpleModule;
import tools.jackson.databind.ser.std.StdSerializer;

/**
 * Serializes the parts of sessions as JSON with the command's member names, for example {@code
 * ref}, {@code id}, {@code content} and {@code status}. Texts are complete. An iteration has the id
 * of the task. Statuses and reasons are the command's words, such as {@code in_progress}.
 * Deserialization is not supported.
 */
public final class RalphJacksonModule extends SimpleModule {

  private static final long serialVersionUID = 1;

  /** Creates the module. */
  public RalphJacksonModule() {
    super("ralph");
    add(Meta.class, json -> json);
    add(Usage.class, Usage::json);
    add(LoopEvent.class, event -> Meta.parse(event.json()));
    add(Task.class, task -> SessionJson.task(task, JsonProfile.FULL, Instant.now()));
    add(Note.class, note -> SessionJson.note(note, JsonProfile.FULL));
    add(Message.class, message -> SessionJson.message(message, JsonProfile.FULL));
    add(Question.class, question -> SessionJson.question(question, JsonProfile.FULL));
    add(Iteration.class, RalphJacksonModule::iteration);
    add(LoopResult.class, RalphJacksonModule::result);
    add(
        Session.Listed.class,
        session ->
            Meta.of("name", session.name())
                .with("last_used", SessionJson.time(session.lastUsed())));
    addWord(Task.Status.class, Task.Status::word);
    addWord(Iteration.Status.class, Iteration.Status::word);
    addWord(StopReason.class, StopReason::word);
    addWord(Control.Activity.Kind.class, Control.Activity.Kind::word);
  }

  /** Serializes a constant as its word, also as key of a map such as {@code TaskList.counts()}. */
  private <E extends Enum<E>> void addWord(Class<E> type, Function<E, String> word) {
    addSerializer(
        type,
        new StdSerializer<E>(type) {
          @Override
          public void serialize(E value, JsonGenerator out, SerializationContext context) {
            out.writeString(word.apply(value));
          }
        });
    addKeySerializer(
        type,
        new StdSerializer<E>(type) {
          @Override
          public void serialize(E value, JsonGenerator out, SerializationContext context) {
            out.writeName(word.apply(value));
          }
        });
  }

  private <T> void add(Class<T> type, Function<T, Meta> json) {
    addSerializer(
        type,
        new StdSerializer<T>(type) {
          @Override
          public void serialize(T value, JsonGenerator out, SerializationContext context) {
            write(json.apply(value), out);
          }
        });
  }

  /** Writes each value separately, because the generator may produce a binary format. */
  private static void write(Meta json, JsonGenerator out) {
    out.writeStartObject();
    for (String key : json.keys()) {
      out.writeName(key);
      writeValue(json.value(key), out);
    }
    out.writeEndObject();
  }

  private static void writeValue(@Nullable Object value, JsonGenerator out) {
    if (value instanceof Meta object) {
      write(object, out);
    } else if (value instanceof Iterable<?> list) {
      out.writeStartArray();
      for (Object each : list) {
        writeValue(each, out);
      }
      out.writeEndArray();
    } else {
      out.writePOJO(value);
    }
  }

  /** Renders an iteration with the id of the task. */
  private static Meta iteration(Iteration iteration) {
    return SessionJson.iteration(iteration, iteration.status(), iteration.task(), JsonProfile.FULL)
        .with("number", iteration.number())
        .with("usage", iteration.usage().json());
  }

  private static Meta result(LoopResult result) {
    return Meta.of("reason", result.reason().word())
        .with("detail", result.detail())
        .with("iterations", result.iterations())
        .with("usage", result.usage().json());
  }
}
