package dev.ralph.examples;

import dev.ralph.Agent;
import dev.ralph.AgentResult;
import dev.ralph.LoopEvent;
import dev.ralph.LoopResult;
import dev.ralph.Ralph;
import dev.ralph.openspec.OpenSpecChange;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;

/** Builds an OpenSpec change story by story. */
public final class ChangeBuild {

  private ChangeBuild() {}

  /** Creates a small change and builds it. */
  public static void main(String[] args) throws IOException {
    Path project = Files.createTempDirectory("ralph-example");
    Path change = Files.createDirectories(project.resolve("openspec/changes/add-login"));
    Files.writeString(
        change.resolve("tasks.md"),
        "## 1. Form\n- [ ] 1.1 Fields\n- [ ] 1.2 A button\n\n## 2. Check\n- [ ] 2.1 Passwords\n");
    Files.writeString(project.resolve("openspec/verify"), "test: test -d openspec\n");

    // Completes a task per iteration; a real agent writes code.
    Agent agent =
        turn -> {
          turn.session().tasks().ready().stream()
              .findFirst()
              .ifPresent(
                  task -> {
                    turn.output("did " + task.content());
                    turn.session().tasks().complete(task.id());
                  });
          return AgentResult.success();
        };

    try (Ralph ralph = Ralph.open(project.resolve(".ralph/store"))) {
      OpenSpecChange work =
          OpenSpecChange.open(ralph, project, "add-login", ProcessHandle.current());
      LoopResult result = work.loop(agent).onEvent(ChangeBuild::report).run();
      System.out.println(result);
    }
    System.out.print(Files.readString(change.resolve("tasks.md")));
  }

  private static void report(LoopEvent event) {
    switch (event.type()) {
      case OUTPUT -> System.out.println(event.message());
      case GATE -> System.out.println(event.message());
      default -> {}
    }
  }
}
