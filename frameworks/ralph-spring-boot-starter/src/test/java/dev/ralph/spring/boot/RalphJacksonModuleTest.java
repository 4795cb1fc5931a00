package dev.ralph.spring.boot;

import static org.assertj.core.api.Assertions.assertThat;

import dev.ralph.AgentResult;
import dev.ralph.Control;
import dev.ralph.Iteration;
import dev.ralph.LoopEvent;
import dev.ralph.LoopResult;
import dev.ralph.NewMessage;
import dev.ralph.NewTask;
import dev.ralph.Ralph;
import dev.ralph.Session;
import dev.ralph.StatusChange;
import dev.ralph.StopReason;
import dev.ralph.Task;
import dev.ralph.Usage;
import dev.ralph.web.GoldenFile;
import java.math.BigDecimal;
import java.nio.file.Path;
import java.time.Duration;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import tools.jackson.databind.MapperFeature;
import tools.jackson.databind.json.JsonMapper;

/** Compares the JSON of a session with a golden file. */
@Timeout(300)
class RalphJacksonModuleTest {

  @TempDir Path folder;

  private final JsonMapper mapper =
      JsonMapper.builder()
          .disable(MapperFeature.USE_ANNOTATIONS)
          .addModule(new RalphJacksonModule())
          .build();
  private final StringBuilder all = new StringBuilder();

  @Test
  void jsonOfASession() throws Exception {
    try (Ralph ralph = Ralph.inMemory()) {
      Session auth = ralph.session("auth");
      auth.tasks().add(NewTask.of("Write the form\n\nSee docs.").priority(1).key("form"));
      auth.tasks().add(NewTask.of("Test it").dependsOn("t1"));
      auth.tasks().add("Ship it");
      auth.tasks().status("t3", StatusChange.to(Task.Status.BLOCKED).because("no key"));
      auth.tasks().claim("t1", "Ann", Duration.ofHours(1));
      auth.inbox().send(NewMessage.of("Please do the API first").by("Ann"));
      auth.inbox().send("Stop at noon");
      auth.inbox().markRead("m1");
      auth.notes().add("learning", "The port is 8080");
      auth.questions().ask("Which port?", "Ann", 1);
      auth.questions().ask("Which user?");
      auth.questions().answer("q1", "8080", "Bob");
      Map<LoopEvent.Type, LoopEvent> events = new EnumMap<>(LoopEvent.Type.class);
      LoopResult result =
          auth.loop(
                  turn -> {
                    turn.usage(Usage.of(1_200, 90, new BigDecimal("0.12")));
                    return turn.iteration() == 1
                        ? AgentResult.success().summary("Wrote the form")
                        : AgentResult.failure("no luck");
                  })
              .directory(folder)
              .maxIterations(2)
              .failurePause(Duration.ofMillis(1))
              .doneWhen(now -> false)
              .onEvent(event -> events.putIfAbsent(event.type(), event))
              .run();

      add("tasks", auth.tasks().list());
      add("messages", auth.inbox().history());
      add("notes", auth.notes().list());
      add("questions", auth.questions().history());
      add("iterations", auth.iterations().list());
      add("usage", List.of(auth.iterations().usage(), Usage.NONE, Usage.UNKNOWN));
      add("events", events.values());
      add("result", List.of(result));
      add("sessions", ralph.sessions("", 10));
    }
    new GoldenFile("src/test/resources/dev/ralph/spring/boot/golden", folder)
        .compare("session.json", all.toString());
  }

  @Test
  void constants_areWords() {
    try (Ralph ralph = Ralph.inMemory()) {
      Session auth = ralph.session("auth");
      auth.tasks().add("Write the form");
      assertThat(mapper.writeValueAsString(auth.tasks().list().counts()))
          .isEqualTo(
              """
              {"remaining":1,"in_progress":0,"blocked":0,"completed":0,"cancelled":0}""");
    }
    assertThat(mapper.writeValueAsString(Task.Status.values()))
        .isEqualTo("[\"remaining\",\"in_progress\",\"blocked\",\"completed\",\"cancelled\"]");
    for (Enum<?> constant : List.of(Iteration.Status.SUCCESS, StopReason.MAX_ITERATIONS)) {
      String value = mapper.writeValueAsString(constant);
      assertThat(value).isLowerCase();
      assertThat(mapper.writeValueAsString(Map.of(constant, 1))).isEqualTo("{" + value + ":1}");
    }
    assertThat(mapper.writeValueAsString(Control.Activity.Kind.values())).isLowerCase();
  }

  private void add(String name, Iterable<?> values) {
    all.append(name).append('\n');
    for (Object each : values) {
      all.append(mapper.writeValueAsString(each)).append('\n');
    }
  }
}
