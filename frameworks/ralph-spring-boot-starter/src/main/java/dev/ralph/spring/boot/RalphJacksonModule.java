package dev.ralph.spring.boot;

import dev.ralph.Control;
import dev.ralph.Iteration;
import dev.ralph.LoopEvent;
import dev.ralph.LoopResult;
import dev.ralph.Message;
import dev.ralph.Note;
import dev.ralph.Question;
import dev.ralph.RecordEntry;
import dev.ralph.Session;
import dev.ralph.StopReason;
import dev.ralph.Task;
import dev.ralph.Usage;
import dev.ralph.Verdict;
import dev.ralph.log.Frame;
import dev.ralph.log.Meta;
import dev.ralph.log.Topic;
import java.util.function.Function;
import tools.jackson.core.JsonGenerator;
import tools.jackson.databind.SerializationContext;
import tools.jackson.databind.module.SimpleModule;
import tools.jackson.databind.ser.std.StdSerializer;

/**
 * Serializes the parts of sessions as JSON with the command's member names, for example {@code
 * ref}, {@code id}, {@code content} and {@code status}. Only a mapper that ignores annotations
 * needs the module. Deserialization is not supported.
 */
public final class RalphJacksonModule extends SimpleModule {

  private static final long serialVersionUID = 1;

  /** Creates the module. */
  public RalphJacksonModule() {
    super("ralph");
    add(Frame.class, Frame::json);
    add(Iteration.class, Iteration::json);
    add(LoopEvent.class, LoopEvent::jsonObject);
    add(LoopResult.class, LoopResult::json);
    add(Message.class, Message::json);
    add(Meta.class, Meta::asMap);
    add(Note.class, Note::json);
    add(Question.class, Question::json);
    add(RecordEntry.class, RecordEntry::json);
    add(Session.Listed.class, Session.Listed::json);
    add(Task.class, Task::json);
    add(Topic.class, Topic::name);
    add(Usage.class, Usage::json);
    add(Verdict.class, Verdict::json);
    addWord(Control.Activity.Kind.class, Control.Activity.Kind::word);
    addWord(Iteration.Role.class, Iteration.Role::word);
    addWord(Iteration.Status.class, Iteration.Status::word);
    addWord(RecordEntry.Type.class, RecordEntry.Type::word);
    addWord(StopReason.class, StopReason::word);
    addWord(Task.Status.class, Task.Status::word);
  }

  private <T> void add(Class<T> type, Function<T, Object> json) {
    addSerializer(
        type,
        new StdSerializer<T>(type) {
          @Override
          public void serialize(T value, JsonGenerator out, SerializationContext context) {
            context.writeValue(out, json.apply(value));
          }
        });
  }

  /** Serializes a constant as its word, also as key of a map such as {@code TaskList.counts()}. */
  private <E extends Enum<E>> void addWord(Class<E> type, Function<E, String> word) {
    add(type, word::apply);
    addKeySerializer(
        type,
        new StdSerializer<E>(type) {
          @Override
          public void serialize(E value, JsonGenerator out, SerializationContext context) {
            out.writeName(word.apply(value));
          }
        });
  }
}
