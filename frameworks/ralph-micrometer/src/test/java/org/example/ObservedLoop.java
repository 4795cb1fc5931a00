package org.example;

import dev.ralph.AgentResult;
import dev.ralph.Gate;
import dev.ralph.LoopResult;
import dev.ralph.Ralph;
import dev.ralph.Session;
import dev.ralph.Usage;
import dev.ralph.Verdict;
import dev.ralph.log.TopicFilter;
import dev.ralph.micrometer.LoopObservations;
import dev.ralph.spi.FrameStore;
import dev.ralph.spi.StoreConfig;
import dev.ralph.store.memory.MemoryStoreProvider;
import dev.ralph.tool.AgentTools;
import io.micrometer.core.instrument.MeterRegistry;
import io.micrometer.observation.ObservationRegistry;
import java.math.BigDecimal;
import java.util.Map;

/** An observed loop in a store whose frames contain the trace. */
public final class ObservedLoop {

  private ObservedLoop() {}

  /** Runs a loop and copies the environment variables of the agent's processes into the map. */
  public static LoopResult run(
      ObservationRegistry observations, MeterRegistry meters, Map<String, String> variables) {
    LoopObservations seen = new LoopObservations(observations, meters);
    FrameStore store = new MemoryStoreProvider().open(StoreConfig.in(null));
    try (Ralph ralph = Ralph.over(seen.traced(store))) {
      Session session = ralph.session("work");
      session.tasks().add("Write it");
      return session
          .loop(
              seen.observed(
                  "writer",
                  turn -> {
                    variables.putAll(turn.variables());
                    try (AgentTools tools = turn.openTools()) {
                      tools.call("task_status", "{\"id\":\"t1\",\"status\":\"completed\"}");
                    }
                    variables.put("frame", lastTrace(ralph));
                    return AgentResult.success()
                        .usage(Usage.of(10, 2, new BigDecimal("0.5")).withCachedTokens(90));
                  }))
          .gate(Gate.named("checked", context -> Verdict.passed()))
          .doneWhen(all -> true)
          .onEvent(seen)
          .run();
    }
  }

  private static String lastTrace(Ralph ralph) {
    return String.valueOf(
        ralph.log().last(TopicFilter.parse("ralph.work.task")).get().meta().string("traceparent"));
  }
}
