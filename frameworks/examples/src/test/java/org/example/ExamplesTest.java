package org.example;

import static org.assertj.core.api.Assertions.assertThat;
import static org.bsc.langgraph4j.StateGraph.END;
import static org.bsc.langgraph4j.StateGraph.START;
import static org.bsc.langgraph4j.action.AsyncNodeAction.node_async;

import com.google.adk.events.Event;
import com.google.adk.events.EventActions;
import com.google.adk.sessions.Session;
import com.google.genai.types.Content;
import com.google.genai.types.Part;
import dev.ralph.Ralph;
import java.nio.file.Path;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.ConcurrentHashMap;
import org.bsc.langgraph4j.CompileConfig;
import org.bsc.langgraph4j.CompiledGraph;
import org.bsc.langgraph4j.GraphInput;
import org.bsc.langgraph4j.RunnableConfig;
import org.bsc.langgraph4j.StateGraph;
import org.bsc.langgraph4j.serializer.std.ObjectStreamStateSerializer;
import org.bsc.langgraph4j.state.AgentState;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Tests that the examples keep their data when the store is reopened. */
class ExamplesTest {

  private static final RunnableConfig THREAD = RunnableConfig.builder().threadId("7/a").build();

  @TempDir Path temp;

  @Test
  void graph_resumesFromCheckpoint() throws Exception {
    try (Ralph ralph = Ralph.open(temp)) {
      graph(ralph).invoke(Map.of("asked", "x"), THREAD);
    }
    try (Ralph ralph = Ralph.open(temp)) {
      CompiledGraph<AgentState> graph = graph(ralph);
      assertThat(graph.getState(THREAD).next()).isEqualTo("second");
      assertThat(graph.invoke(GraphInput.resume(), THREAD).orElseThrow().data())
          .containsAllEntriesOf(Map.of("asked", "x", "first", "done", "second", "done"));
    }
    try (Ralph ralph = Ralph.open(temp)) {
      GraphCheckpoints saver = checkpoints(ralph);
      assertThat(saver.list(THREAD)).hasSizeGreaterThan(2);
      saver.release(THREAD);
      assertThat(saver.list(THREAD)).isEmpty();
    }
  }

  private static GraphCheckpoints checkpoints(Ralph ralph) {
    return new GraphCheckpoints(ralph, new ObjectStreamStateSerializer<>(AgentState::new));
  }

  private static CompiledGraph<AgentState> graph(Ralph ralph) throws Exception {
    return new StateGraph<>(AgentState::new)
        .addNode("first", node_async(state -> Map.of("first", "done")))
        .addNode("second", node_async(state -> Map.of("second", "done")))
        .addEdge(START, "first")
        .addEdge("first", "second")
        .addEdge("second", END)
        .compile(
            CompileConfig.builder()
                .checkpointSaver(checkpoints(ralph))
                .interruptBefore("second")
                .build());
  }

  @Test
  void adkSession_isRestoredWithEventsAndState() {
    try (Ralph ralph = Ralph.open(temp)) {
      AdkSessions sessions = new AdkSessions(ralph);
      ConcurrentHashMap<String, Object> state = new ConcurrentHashMap<>(Map.of("a", 1));
      Session session = sessions.createSession("app", "u", state, "s").blockingGet();
      assertThat(sessions.createSession("app", "u2", null, null).blockingGet().id()).isNotEmpty();
      Event event = event("e1", "Hello", Map.of("b", "2"));
      assertThat(sessions.appendEvent(session, event).blockingGet()).isEqualTo(event);
      assertThat(session.state()).containsEntry("b", "2");
    }
    try (Ralph ralph = Ralph.open(temp)) {
      AdkSessions sessions = new AdkSessions(ralph);
      Session session = sessions.getSession("app", "u", "s", Optional.empty()).blockingGet();
      assertThat(session.state()).containsAllEntriesOf(Map.of("a", 1, "b", "2"));
      assertThat(session.events()).hasSize(1);
      assertThat(session.events().get(0).stringifyContent()).isEqualTo("Hello");
      assertThat(sessions.listEvents("app", "u", "s").blockingGet().events()).hasSize(1);
      assertThat(sessions.listSessions("app", "u").blockingGet().sessionIds()).containsExactly("s");
      sessions.deleteSession("app", "u", "s").blockingAwait();
      assertThat(sessions.getSession("app", "u", "s", Optional.empty()).blockingGet()).isNull();
    }
  }

  private static Event event(String id, String text, Map<String, Object> state) {
    return Event.builder()
        .id(id)
        .author("user")
        .content(Content.fromParts(Part.fromText(text)))
        .actions(EventActions.builder().stateDelta(new ConcurrentHashMap<>(state)).build())
        .build();
  }
}
