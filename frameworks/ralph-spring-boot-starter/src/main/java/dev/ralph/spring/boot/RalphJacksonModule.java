package dev.ralph.spring.boot;

import dev.ralph.Claim;
import dev.ralph.Iteration;
import dev.ralph.LoopEvent;
import dev.ralph.LoopResult;
import dev.ralph.Message;
import dev.ralph.Note;
import dev.ralph.Question;
import dev.ralph.Session;
import dev.ralph.Task;
import dev.ralph.Usage;
import dev.ralph.log.Meta;
import java.time.Duration;
import java.time.Instant;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;
import tools.jackson.core.JsonGenerator;
import tools.jackson.databind.SerializationContext;
import tools.jackson.databind.module.SimpleModule;
import tools.jackson.databind.ser.std.StdSerializer;

/**
 * Serializes the parts of sessions as JSON with the command's member names, for example {@code
 * ref}, {@code id}, {@code content} and {@code status}. Texts are complete. Deserialization is not
 * supported.
 */
public final class RalphJacksonModule extends SimpleModule {

  private static final long serialVersionUID = 1;

  /** Creates the module. */
  public RalphJacksonModule() {
    super("ralph");
    add(Meta.class, json -> json);
    add(Usage.class, Usage::json);
    add(LoopEvent.class, event -> Meta.parse(event.json()));
    add(Task.class, RalphJacksonModule::task);
    add(Note.class, RalphJacksonModule::note);
    add(Message.class, RalphJacksonModule::message);
    add(Question.class, RalphJacksonModule::question);
    add(Iteration.class, RalphJacksonModule::iteration);
    add(LoopResult.class, RalphJacksonModule::result);
    add(
        Session.Listed.class,
        session -> Meta.of("name", session.name()).with("last_used", time(session.lastUsed())));
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

  /** Writes values one by one, because the generator may produce another format than JSON text. */
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

  private static Meta task(Task task) {
    return Meta.of("ref", "t" + task.number())
        .with("id", task.id())
        .with("short_id", task.shortId())
        .with("status", task.status().word())
        .with("content", task.content())
        .with("priority", task.priority())
        .with("depends", task.dependencies())
        .with("added", time(task.added()))
        .with("key", task.key())
        .with("iteration", number(task.iteration()))
        .with("reason", task.reason())
        .with("claim", claim(task.claim()));
  }

  private static @Nullable Meta claim(@Nullable Claim claim) {
    return claim == null
        ? null
        : Meta.of("token", claim.token())
            .with("owner", claim.owner())
            .with("until", time(claim.until()));
  }

  private static Meta note(Note note) {
    return Meta.of("ref", "n" + note.number())
        .with("id", note.id())
        .with("short_id", note.shortId())
        .with("type", note.type())
        .with("content", note.content())
        .with("iteration", number(note.iteration()))
        .with("about", note.about())
        .with("added", time(note.added()));
  }

  private static Meta message(Message message) {
    return Meta.of("ref", "m" + message.number())
        .with("id", message.id())
        .with("short_id", message.shortId())
        .with("text", message.text())
        .with("sent", time(message.sent()))
        .with("by", message.by())
        .with("read", message.isRead());
  }

  private static Meta question(Question question) {
    return Meta.of("ref", "q" + question.number())
        .with("id", question.id())
        .with("short_id", question.shortId())
        .with("text", question.text())
        .with("asked", time(question.asked()))
        .with("by", question.by())
        .with("iteration", number(question.iteration()))
        .with("open", question.isOpen())
        .with("answer", question.answer())
        .with("answered_by", question.answeredBy());
  }

  private static Meta iteration(Iteration iteration) {
    Duration took = iteration.duration();
    return Meta.of("number", iteration.number())
        .with("status", iteration.status().word())
        .with("started", time(iteration.started()))
        .with("duration_ms", took == null ? null : took.toMillis())
        .with("summary", iteration.summary())
        .with("usage", iteration.usage().json());
  }

  private static Meta result(LoopResult result) {
    return Meta.of("reason", result.reason().word())
        .with("detail", result.detail())
        .with("iterations", result.iterations())
        .with("usage", result.usage().json());
  }

  private static @Nullable Integer number(int iteration) {
    return iteration == 0 ? null : iteration;
  }

  private static String time(Instant time) {
    return time.toString();
  }
}
