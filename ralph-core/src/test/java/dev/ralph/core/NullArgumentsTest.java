package dev.ralph.core;

import dev.ralph.Agent;
import dev.ralph.AgentResult;
import dev.ralph.Gate;
import dev.ralph.Inbox;
import dev.ralph.Loop;
import dev.ralph.NewMessage;
import dev.ralph.NewTask;
import dev.ralph.NoteLog;
import dev.ralph.Questions;
import dev.ralph.Ralph;
import dev.ralph.Redactor;
import dev.ralph.Session;
import dev.ralph.StatusChange;
import dev.ralph.Step;
import dev.ralph.StepCodec;
import dev.ralph.Task;
import dev.ralph.TaskEdit;
import dev.ralph.TaskList;
import dev.ralph.TaskLog;
import dev.ralph.ToolSettings;
import dev.ralph.TypedTopic;
import dev.ralph.core.internal.delivery.AgentInbox;
import dev.ralph.internal.StoreLocation;
import dev.ralph.log.Batch;
import dev.ralph.log.Decision;
import dev.ralph.log.Draft;
import dev.ralph.log.Fold;
import dev.ralph.log.Frame;
import dev.ralph.log.Ledger;
import dev.ralph.log.Meta;
import dev.ralph.log.Position;
import dev.ralph.log.Query;
import dev.ralph.log.Topic;
import dev.ralph.log.TopicFilter;
import dev.ralph.log.View;
import dev.ralph.spi.FrameStore;
import dev.ralph.spi.StoreConfig;
import dev.ralph.store.memory.MemoryStoreProvider;
import dev.ralph.tool.Tools;
import java.lang.reflect.Method;
import java.math.BigDecimal;
import java.nio.file.Path;
import java.time.Clock;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.Executor;
import java.util.function.Consumer;
import java.util.function.Function;
import java.util.function.Predicate;
import java.util.function.Supplier;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;

/** Methods reject a forbidden null at the call and name the argument. */
class NullArgumentsTest {

  private static final Ralph RALPH = Ralph.inMemory();
  private static final Topic TOPIC = Topic.of("null.arguments.test");
  private static final Fold<List<Frame>, List<Frame>> FOLD =
      Fold.of("null.arguments", ArrayList::new, List::add, List::copyOf);
  private static final Agent AGENT = turn -> AgentResult.success();

  /** A non-null argument for each type; arguments of other types are null. */
  private static final Map<Class<?>, Object> SAMPLES =
      Map.ofEntries(
          Map.entry(String.class, "x"),
          Map.entry(int.class, 1),
          Map.entry(long.class, 1L),
          Map.entry(boolean.class, true),
          Map.entry(List.class, List.of()),
          Map.entry(Duration.class, Duration.ofSeconds(1)),
          Map.entry(Instant.class, Instant.EPOCH),
          Map.entry(Path.class, Path.of("")),
          Map.entry(BigDecimal.class, BigDecimal.ONE),
          Map.entry(Executor.class, (Executor) Runnable::run),
          Map.entry(Consumer.class, (Consumer<Object>) event -> {}),
          Map.entry(NewTask.class, NewTask.of("x")),
          Map.entry(NewMessage.class, NewMessage.of("x")),
          Map.entry(StatusChange.class, StatusChange.to(Task.Status.COMPLETED)),
          Map.entry(TaskEdit.class, TaskEdit.of()),
          Map.entry(Gate.class, Gate.of("true")),
          Map.entry(Gate.Command.class, Gate.of("true")),
          Map.entry(Clock.class, Clock.systemUTC()),
          Map.entry(FrameStore.class, new MemoryStoreProvider().open(StoreConfig.in(null))),
          Map.entry(Redactor.class, Redactor.none()),
          Map.entry(Supplier.class, (Supplier<Object>) () -> "x"),
          Map.entry(StepCodec.class, StepCodec.text()),
          Map.entry(Function.class, (Function<Object, Object>) x -> x),
          Map.entry(ToolSettings.class, ToolSettings.STANDARD),
          Map.entry(Topic.class, TOPIC),
          Map.entry(Meta.class, Meta.empty()),
          Map.entry(Predicate.class, (Predicate<Object>) state -> true),
          Map.entry(
              Ledger.Decider.class,
              (Ledger.Decider<Object, String>) (s, now) -> Decision.nothing("x")),
          Map.entry(Ralph.class, RALPH),
          Map.entry(Agent.class, AGENT));

  @AfterAll
  static void close() {
    RALPH.close();
  }

  private static Stream<Arguments> calls() {
    Session session = RALPH.session("s");
    return Stream.of(
            NullArguments.calls(Ralph.class, RALPH),
            NullArguments.calls(Ralph.class, null),
            NullArguments.calls(Ledger.class, RALPH.ledger(TOPIC, FOLD)),
            NullArguments.calls(View.class, RALPH.view(TOPIC, FOLD)),
            NullArguments.calls(Query.class, null),
            NullArguments.calls(Query.class, Query.of(TopicFilter.all())),
            NullArguments.calls(Batch.class, null),
            NullArguments.calls(Batch.class, Batch.of("b", List.of(Draft.of(TOPIC, Meta.empty())))),
            NullArguments.calls(Draft.class, null),
            NullArguments.calls(Meta.class, null),
            NullArguments.calls(Meta.class, Meta.of("x", 1)),
            NullArguments.calls(Topic.class, null),
            NullArguments.calls(Topic.class, TOPIC),
            NullArguments.calls(TopicFilter.class, null),
            NullArguments.calls(TopicFilter.class, TopicFilter.of(TOPIC)),
            NullArguments.calls(Position.class, Position.START),
            NullArguments.calls(StepCodec.class, null),
            NullArguments.calls(NewTask.class, NewTask.of("x")),
            NullArguments.calls(NewTask.class, null),
            NullArguments.calls(NewMessage.class, NewMessage.of("x")),
            NullArguments.calls(NewMessage.class, null),
            NullArguments.calls(TaskEdit.class, TaskEdit.of()),
            NullArguments.calls(StatusChange.class, StatusChange.to(Task.Status.COMPLETED)),
            NullArguments.calls(StatusChange.class, null),
            NullArguments.calls(StoreConfig.class, StoreConfig.in(null)),
            NullArguments.calls(Tools.class, null),
            NullArguments.calls(ToolSettings.class, ToolSettings.STANDARD),
            NullArguments.calls(Session.class, session),
            NullArguments.calls(TypedTopic.class, RALPH.topic(TOPIC, StepCodec.text())),
            NullArguments.calls(Step.class, session.step("x")),
            NullArguments.calls(TaskLog.class, session.tasks()),
            NullArguments.calls(TaskList.class, session.tasks().list()),
            NullArguments.calls(StoreLocation.class, null),
            NullArguments.calls(NoteLog.class, session.notes()),
            NullArguments.calls(Inbox.class, session.inbox()),
            NullArguments.calls(AgentInbox.class, AgentInbox.of(session)),
            NullArguments.calls(Questions.class, session.questions()),
            NullArguments.calls(ListLog.class, null),
            NullArguments.calls(ListLog.class, ListLog.of(RALPH, "nulls")),
            NullArguments.calls(Loop.class, session.loop(AGENT).build()),
            NullArguments.calls(Loop.Builder.class, session.loop(AGENT)))
        .flatMap(calls -> calls);
  }

  @ParameterizedTest(name = "{0}, argument {1}", autoCloseArguments = false)
  @MethodSource("calls")
  void nullArgument_isNamedAtTheCall(Method method, int index, Object target) {
    NullArguments.assertNamed(method, index, target, SAMPLES);
  }
}
