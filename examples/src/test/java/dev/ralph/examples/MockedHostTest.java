package dev.ralph.examples;

import static org.assertj.core.api.Assertions.assertThat;
import static org.mockito.ArgumentMatchers.any;
import static org.mockito.ArgumentMatchers.anyString;
import static org.mockito.ArgumentMatchers.argThat;
import static org.mockito.Mockito.doAnswer;
import static org.mockito.Mockito.inOrder;
import static org.mockito.Mockito.mock;
import static org.mockito.Mockito.never;
import static org.mockito.Mockito.spy;
import static org.mockito.Mockito.times;
import static org.mockito.Mockito.verify;
import static org.mockito.Mockito.when;

import dev.ralph.Agent;
import dev.ralph.AgentResult;
import dev.ralph.Gate;
import dev.ralph.Inbox;
import dev.ralph.LoopEvent;
import dev.ralph.LoopResult;
import dev.ralph.Ralph;
import dev.ralph.Session;
import dev.ralph.StopReason;
import dev.ralph.Task;
import dev.ralph.TaskLog;
import dev.ralph.Turn;
import dev.ralph.Verdict;
import dev.ralph.log.Frame;
import dev.ralph.log.Topic;
import dev.ralph.spi.FrameStore;
import dev.ralph.spi.FrameStoreProvider;
import dev.ralph.store.memory.MemoryStoreProvider;
import java.util.List;
import java.util.concurrent.Executor;
import java.util.function.Consumer;
import org.junit.jupiter.api.Test;
import org.mockito.ArgumentMatcher;
import org.mockito.InOrder;

/**
 * Tests that hosts can mock the API's interfaces, and that a loop calls the host's objects in the
 * documented order.
 */
class MockedHostTest {

  // ---- mocks of API interfaces

  /** An example of a host's method: reports a blocked task to the operator. */
  private static void reportBlocked(Frame frame, TaskLog tasks, Inbox inbox) {
    Task task = tasks.get(frame.id());
    if (task.status() == Task.Status.BLOCKED) {
      inbox.send(frame.topic() + ": " + task.content() + " is blocked");
    }
  }

  @Test
  void apiInterfaces_canBeMocked() {
    Frame frame = mock(Frame.class);
    when(frame.topic()).thenReturn(Topic.of("ralph.auth.task"));
    when(frame.id()).thenReturn("t1");
    Task task = mock(Task.class);
    when(task.content()).thenReturn("Write the form");
    when(task.status()).thenReturn(Task.Status.REMAINING).thenReturn(Task.Status.BLOCKED);
    TaskLog tasks = mock(TaskLog.class);
    when(tasks.get("t1")).thenReturn(task);
    Inbox inbox = mock(Inbox.class);

    reportBlocked(frame, tasks, inbox);
    verify(inbox, never()).send(anyString());
    reportBlocked(frame, tasks, inbox);

    verify(inbox).send("ralph.auth.task: Write the form is blocked");
  }

  // ---- mocks of the host's objects

  private static LoopEvent ofType(LoopEvent.Type type) {
    ArgumentMatcher<LoopEvent> matcher = event -> event != null && event.type() == type;
    return argThat(matcher);
  }

  @Test
  void loop_callsHostObjectsInOrder() throws Exception {
    Agent agent = mock(Agent.class);
    Gate gate = mock(Gate.class);
    when(gate.name()).thenReturn("the host's");
    when(gate.check(any())).thenReturn(Verdict.failed("not yet")).thenReturn(Verdict.passed());
    @SuppressWarnings("unchecked")
    Consumer<LoopEvent> listener = mock(Consumer.class);
    when(agent.run(any()))
        .thenAnswer(
            call -> {
              call.<Turn>getArgument(0).session().control().complete();
              return AgentResult.success();
            });

    LoopResult result;
    try (Ralph ralph = Ralph.inMemory()) {
      Session session = ralph.session("auth");
      result = session.loop(agent).gate(gate).onEvent(listener).maxIterations(2).run();
    }

    assertThat(result.reason()).isEqualTo(StopReason.COMPLETED);
    InOrder order = inOrder(agent, gate, listener);
    order.verify(agent).requireReady(any());
    for (int iteration = 1; iteration <= 2; iteration++) {
      order.verify(listener).accept(ofType(LoopEvent.Type.ITERATION_STARTED));
      order.verify(agent).run(any());
      order.verify(listener).accept(ofType(LoopEvent.Type.ITERATION_ENDED));
      order.verify(listener).accept(ofType(LoopEvent.Type.GATE_STARTED));
      order.verify(gate).check(any());
      order.verify(listener).accept(ofType(LoopEvent.Type.GATE));
    }
    order.verify(listener).accept(ofType(LoopEvent.Type.LOOP_ENDED));
    verify(agent, never()).close();
  }

  @Test
  void executor_runsEachIteration() throws Exception {
    Executor executor = mock(Executor.class);
    Thread[] ran = new Thread[1];
    doAnswer(
            call -> {
              ran[0] = new Thread(call.<Runnable>getArgument(0));
              ran[0].start();
              return null;
            })
        .when(executor)
        .execute(any());
    try (Ralph ralph = Ralph.inMemory()) {
      Session session = ralph.session("auth");
      session.tasks().add("Write the form");
      Thread[] agents = new Thread[1];
      session
          .loop(
              turn -> {
                agents[0] = Thread.currentThread();
                return AgentResult.success();
              })
          .executor(executor)
          .maxIterations(1)
          .run();

      assertThat(agents[0]).isSameAs(ran[0]);
    }
    verify(executor, times(1)).execute(any());
  }

  @Test
  void store_isOpenedAndClosedOnce() {
    FrameStore[] opened = new FrameStore[1];
    FrameStoreProvider provider = mock(FrameStoreProvider.class);
    when(provider.name()).thenReturn("mine");
    when(provider.open(any()))
        .thenAnswer(call -> opened[0] = spy(new MemoryStoreProvider().open(call.getArgument(0))));

    try (Ralph ralph = Ralph.builder().store("mine").providers(List.of(provider)).open()) {
      ralph.session("auth").tasks().add("Write the form");
      verify(opened[0], never()).close();
    }

    verify(provider, times(1)).open(any());
    verify(opened[0], times(1)).close();
  }
}
