package dev.ralph.core.internal.loop;

import static org.assertj.core.api.Assertions.assertThat;

import dev.ralph.Agent;
import dev.ralph.Iteration;
import dev.ralph.Loop;
import dev.ralph.LoopEvent;
import dev.ralph.Ralph;
import dev.ralph.Session;
import dev.ralph.log.FrameCursor;
import dev.ralph.log.Query;
import dev.ralph.log.Topic;
import dev.ralph.log.TopicFilter;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.io.TempDir;

/** A session in memory, with loops and their recorded events and prompts. */
abstract class LoopFixture {

  static final Duration TINY = Duration.ofMillis(1);

  final Ralph ralph = Ralph.inMemory();
  final Session session = ralph.session("s");
  final List<LoopEvent> events = new CopyOnWriteArrayList<>();
  final List<String> prompts = new CopyOnWriteArrayList<>();

  @TempDir Path folder;

  @AfterEach
  final void leaveNothingBehind() {
    assertThat(LeftThreads.names()).isEmpty();
    ralph.close();
  }

  Loop.Builder loop(Agent agent) {
    return session
        .loop(
            turn -> {
              prompts.add(turn.prompt());
              return agent.run(turn);
            })
        .directory(folder)
        .failurePause(TINY)
        .onEvent(events::add);
  }

  List<LoopEvent.Type> types() {
    return events.stream().map(LoopEvent::type).toList();
  }

  LoopEvent only(LoopEvent.Type type) {
    return events.stream().filter(e -> e.type() == type).reduce((a, b) -> null).orElseThrow();
  }

  List<Iteration.Status> statuses() {
    return session.iterations().list().stream().map(Iteration::status).toList();
  }

  /** Returns the actions on a topic of the session, in order. */
  List<String> actions(String topic) {
    List<String> actions = new ArrayList<>();
    TopicFilter filter = TopicFilter.of(Topic.of("ralph.s." + topic));
    try (FrameCursor cursor = ralph.log().read(Query.of(filter))) {
      for (var frame = cursor.next(); frame != null; frame = cursor.next()) {
        actions.add(frame.meta().string("action"));
      }
    }
    return actions;
  }

  static void await(CountDownLatch latch) throws InterruptedException {
    assertThat(latch.await(1, TimeUnit.MINUTES)).isTrue();
  }
}
