package dev.ralph.cli.progress;

import static org.assertj.core.api.Assertions.assertThat;

import dev.ralph.AgentResult;
import dev.ralph.Gate;
import dev.ralph.LoopEvent;
import dev.ralph.Ralph;
import dev.ralph.Session;
import dev.ralph.Turn;
import dev.ralph.Usage;
import dev.ralph.Verdict;
import dev.ralph.core.internal.process.ProcessMark;
import dev.ralph.store.support.GitRepository;
import dev.ralph.web.GoldenFile;
import java.math.BigDecimal;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Collections;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** Compares the JSON of events of a real loop with a golden file. */
@Timeout(300)
class EventFormTest {

  /** The types that no other golden file contains. */
  private static final List<LoopEvent.Type> TYPES =
      List.of(
          LoopEvent.Type.ORPHANS_ENDED,
          LoopEvent.Type.USAGE,
          LoopEvent.Type.NOTICE,
          LoopEvent.Type.QUESTION,
          LoopEvent.Type.MESSAGE_READ,
          LoopEvent.Type.SENT_BACK,
          LoopEvent.Type.MERGED);

  /** The first event of each type. */
  private final Map<LoopEvent.Type, LoopEvent> first =
      Collections.synchronizedMap(new EnumMap<>(LoopEvent.Type.class));

  @TempDir Path temporary;

  @Test
  void jsonOfEvents() throws Exception {
    Path folder = Files.createDirectory(temporary.toRealPath().resolve("project"));
    GitRepository repository = new GitRepository(folder);
    Files.writeString(folder.resolve("all.txt"), "first\n");
    repository.git("config user.name Somebody");
    repository.git("config user.email somebody@example.org");
    repository.git("add .");
    repository.git("commit -q -m first");
    try (Ralph ralph = Ralph.inMemory()) {
      Session session = ralph.session("auth");
      session.tasks().add("Write the form");
      session.inbox().send("Please do the API first");
      startOrphan(ProcessMark.of("ralph:" + ralph.log().info().storeId() + ":auth"));

      session
          .loop(EventFormTest::work)
          .agents(2)
          .directory(folder)
          .gate(Gate.named("form", context -> verdict(context.directory())))
          .doneWhen(now -> now.tasks().list().open().isEmpty())
          .failurePause(Duration.ofMillis(1))
          .onEvent(event -> first.putIfAbsent(event.type(), event))
          .run();
    }

    String pids =
        String.valueOf(event(LoopEvent.Type.ORPHANS_ENDED).data().value("pids"))
            .replaceAll("[\\[\\] ]", "")
            .replace(',', '|');
    String lines =
        TYPES.stream()
            .flatMap(type -> Stream.of(EventForm.json(event(type)), event(type).json()))
            .collect(Collectors.joining("\n", "", "\n"))
            .replaceAll("\\b(" + pids + ")\\b", "PID")
            .replaceAll("\\b[0-9a-f]{40}\\b", "COMMIT")
            .replaceAll("merged as [0-9a-f]{10}\\b", "merged as COMMIT");
    new GoldenFile("src/test/resources/dev/ralph/cli/golden", folder).compare("events.json", lines);
  }

  private LoopEvent event(LoopEvent.Type type) {
    return Objects.requireNonNull(first.get(type), type.name());
  }

  /** Completes the task: first with a file that the gate refuses, then with a good file. */
  private static AgentResult work(Turn turn) throws Exception {
    boolean isFirst = turn.iteration() == 1;
    if (isFirst) {
      turn.usage(Usage.of(1_200, 90, new BigDecimal("0.12")));
      turn.notice("The model is slow");
      turn.session().questions().ask("Which port?", "Ann", 1);
      turn.session().inbox().markRead("m1");
    }
    Files.writeString(turn.directory().resolve("form.txt"), isFirst ? "bad\n" : "good\n");
    String task = turn.session().iterations().running(turn.agent()).orElseThrow().task();
    turn.session().tasks().complete(String.valueOf(task));
    return AgentResult.success();
  }

  private static Verdict verdict(Path folder) throws Exception {
    Path form = folder.resolve("form.txt");
    boolean isBad = Files.exists(form) && Files.readString(form).equals("bad\n");
    return isBad ? Verdict.failed("the form is bad") : Verdict.passed();
  }

  private void startOrphan(ProcessMark mark) throws Exception {
    ProcessBuilder builder =
        new ProcessBuilder(
            "sh",
            "-c",
            "setsid sh -c 'echo >ready; exec sleep 600' >/dev/null 2>&1 & "
                + "while ! test -e ready; do sleep 0.01; done");
    builder.environment().put(ProcessMark.VARIABLE, mark.text());
    assertThat(builder.directory(temporary.toFile()).start().waitFor()).isZero();
  }
}
