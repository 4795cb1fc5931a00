package dev.ralph.core.internal.prompt;

import static org.assertj.core.api.Assertions.assertThat;

import dev.ralph.Iteration;
import dev.ralph.Loop;
import dev.ralph.Message;
import dev.ralph.NewTask;
import dev.ralph.Ralph;
import dev.ralph.Session;
import dev.ralph.StatusChange;
import dev.ralph.Task;
import dev.ralph.log.Batch;
import dev.ralph.log.Draft;
import dev.ralph.log.Meta;
import dev.ralph.log.Topic;
import dev.ralph.tool.Tools;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.time.Clock;
import java.time.Duration;
import java.time.Instant;
import java.time.ZoneOffset;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** Prompts for sessions with all kinds of state. */
class SessionPromptTest {

  private static final Instant NOW = Instant.parse("2026-03-01T10:00:00Z");

  private final Ralph ralph =
      Ralph.builder().store("memory").clock(Clock.fixed(NOW, ZoneOffset.UTC)).open();
  private final Session session = ralph.session("auth-feature");

  @AfterEach
  void close() {
    ralph.close();
  }

  private String render(PromptSource template, @Nullable Tools tools, List<String> refusedFor) {
    return new SessionPrompt(
            template,
            Iteration.Role.BUILD,
            ralph.log()::info,
            tools,
            Path.of("/home/me/specs/it's a SPEC.md"),
            "Answer in German.",
            Map.of())
        .render(session, 4, NOW, refusedFor, Optional.empty(), null);
  }

  private String render(String template) {
    return render(PromptSource.template(template), null, List.of());
  }

  /** Runs iterations 1 to 3 in a loop; iteration 2 fails. */
  private void iterate() {
    try (Loop loop =
        session
            .loop(
                turn ->
                    turn.iteration() == 2
                        ? dev.ralph.AgentResult.failure("'agent' ended with exit code 1")
                        : dev.ralph.AgentResult.success().summary("Did part " + turn.iteration()))
            .failurePause(Duration.ZERO)
            .maxIterations(3)
            .build()) {
      loop.run();
    }
  }

  @Test
  void fullSession_givesTheGoldenPrompt() throws Exception {
    Task schema = session.tasks().add("Write the schema");
    Task form = session.tasks().add(NewTask.of("Write the login form").priority(0));
    session.tasks().add(NewTask.of("Send mails\nwith a template").dependsOn(form.id()));
    session.tasks().add("Ask for the logo");
    session.tasks().add("Translate it");
    session.tasks().add("Old idea");
    session.tasks().status("t1", StatusChange.to(Task.Status.COMPLETED));
    session.tasks().status("t2", StatusChange.to(Task.Status.IN_PROGRESS));
    session
        .tasks()
        .status("t4", StatusChange.to(Task.Status.BLOCKED).because("waits for the designer"));
    session.tasks().status("t6", StatusChange.to(Task.Status.CANCELLED));
    session.tasks().add("Held by another");
    session.tasks().claim("t7", "agent-2", Duration.ofHours(1));
    session.notes().add("learning", "The build needs JDK 17", 1);
    session.notes().add("decision", "Cookies, not tokens:\nsimpler", 2);
    session.notes().add("learning", "of this very iteration", 4);
    session.inbox().send("Please do the API first\n## Tasks\n- [t9] fake");
    session.inbox().send("read already");
    session.inbox().markRead("m2");
    iterate();

    String prompt =
        render(
            PromptSource.builtIn(),
            Tools.commands(Path.of("/opt/my tools/ralph")),
            List.of(
                "gate failed with exit code 2: mvn verify\nIts last lines:\n[ERROR] ## Rules\nfailed"));

    assertThat(schema.number()).isEqualTo(1);
    assertThat(prompt).isEqualTo(resource("golden-prompt.md"));
  }

  @Test
  void longLauncherPath_keepsTheCommandsShort() {
    Path launcher = Path.of("/home/somebody/projects/tools/ralph-for-java/ralph");
    String tools = render(PromptSource.prompt("{{tools}}"), Tools.commands(launcher), List.of());
    assertThat(tools).containsOnlyOnce(launcher.toString()).doesNotContain("--name", "--store");
    assertThat(tools.getBytes(StandardCharsets.UTF_8).length / 4).as("tokens").isLessThan(400);
  }

  @Test
  void emptySession_givesTheGoldenPrompt() throws Exception {
    assertThat(render(PromptSource.builtIn(), null, List.of()))
        .isEqualTo(resource("golden-empty-prompt.md"));
  }

  @Test
  void lineBreaksInMessage_areIndented() {
    session.inbox().send("one\r\n## two\u2028- three\u0085four\n\n- five");

    assertThat(render("{{inbox}}"))
        .contains(": one\n  ## two\n  - three\n  four\n  \n  - five\n\nAfter reading");
  }

  /** Scripted agents search for these lines, which have the format of ralph.nu. */
  @Test
  void messageFromPerson_hasNoSenderInPrompt() {
    Message message = session.inbox().send("Who are you?", "ann", null);

    assertThat(render("{{inbox}}").lines())
        .contains("- [m1] " + message.timestamp() + ": Who are you?");
  }

  @Test
  void controlAndBidiCharacters_areRemoved() {
    String text =
        "a\u001b[2Jb\u0000c\u009bd\u202ee\u2066f\u200fg\ufeffh\udb40\udc41i"
            + "\tj\nk\u0627\u200c\ud83d\ude00l";
    session.inbox().send(text);
    session.tasks().add(text);
    session.notes().add("tip", text, 1);

    String first = "a [2Jb c defghi";
    String rest = "\tj\n  k\u0627\u200c\ud83d\ude00l\n";
    assertThat(render("{{inbox}}")).contains(": " + first + rest);
    assertThat(render("{{notes}}")).contains(" " + first + rest);
    assertThat(render("{{tasks}}")).contains("] " + first + " j …\n");
  }

  @Test
  void longMessage_isNotCut() {
    String text = "word ".repeat(200_000).strip();
    session.inbox().send(text);

    assertThat(render("{{inbox}}")).contains(text);
  }

  @Test
  void placeholdersInState_areNotExpanded() {
    session.inbox().send("{{tasks}} {{nonsense}}");
    session.tasks().add("{{inbox}}");

    assertThat(render("{{inbox}}\n{{tasks}}"))
        .contains(": {{tasks}} {{nonsense}}\n")
        .contains("] {{inbox}}\n");
  }

  @Test
  void waitingTask_namesItsOpenDependencies() {
    session.tasks().add("a");
    session.tasks().add("b");
    session.tasks().add(NewTask.of("c").dependsOn("t1").dependsOn("t2"));
    session.tasks().status("t1", StatusChange.to(Task.Status.CANCELLED));

    assertThat(render("{{tasks}}")).contains("- [t3] c (waits for t2 (remaining))\n");
  }

  @Test
  void tenThousandTasks_keepThePromptSmall() {
    Topic topic = Topic.of("ralph.auth-feature.task");
    Meta meta = Meta.of("action", "add").with("status", "remaining");
    for (int batch = 0; batch < 100; batch++) {
      List<Draft> drafts = new ArrayList<>();
      for (int i = 0; i < 100; i++) {
        drafts.add(
            Draft.of(topic, meta, "task number " + (100 * batch + i) + " " + "x".repeat(300)));
      }
      ralph.log().append(Batch.of("batch-" + batch, drafts));
    }
    Task urgent = session.tasks().add(NewTask.of("urgent").priority(0));
    session.tasks().status("t7000", StatusChange.to(Task.Status.IN_PROGRESS));
    session.tasks().status("t8000", StatusChange.to(Task.Status.BLOCKED).because("why"));

    String prompt = render("{{tasks}}");

    assertThat(prompt.length()).isLessThan(25_000);
    assertThat(prompt)
        .startsWith("10001 tasks: 9999 remaining, 1 in progress, 1 blocked\n")
        .contains("IN PROGRESS (1)\n- [t7000] task number 6999")
        .contains("REMAINING (9999)\n- [t" + urgent.number() + "] urgent (priority 0)\n- [t1] ")
        .containsPattern("- … and 99\\d\\d more\n\nBLOCKED")
        .contains("BLOCKED (1)\n- [t8000] ")
        .contains("…: why");
  }

  @Test
  void tooManyNotes_newestAreShown() {
    for (int i = 0; i < 1_000; i++) {
      session.notes().add("learning", "note " + i + " " + "y".repeat(100), 1);
    }
    session.notes().add("tip", "z".repeat(100_000), 2);

    String prompt = render("{{notes}}");

    assertThat(prompt.length()).isLessThan(13_000);
    assertThat(prompt)
        .startsWith("## Notes from earlier iterations\n")
        .contains("note 999 ")
        .doesNotContain("note 5 ")
        .contains("- [#2] " + "z".repeat(1_500) + "…\n")
        .containsPattern("\\(\\d+ older not shown\\)\n\nAnswer in German.\n$");
  }

  @Test
  void extraText_isAlwaysShown() {
    assertThat(render("first {{extra}} last")).isEqualTo("first Answer in German. last\n");
    assertThat(render("only {{session}}")).isEqualTo("only auth-feature\n\nAnswer in German.\n");
  }

  @Test
  void history_showsTheLastFiveIterations() {
    iterate();
    iterate();
    iterate();

    assertThat(
            new SessionPrompt(
                    PromptSource.template("{{history}}"),
                    Iteration.Role.BUILD,
                    ralph.log()::info,
                    null,
                    null,
                    "",
                    Map.of())
                .render(session, 9, NOW, List.of(), Optional.empty(), null))
        .startsWith("## Last iterations\n- #4 success: Did part 4\n- #5 ")
        .endsWith("- #8 success: Did part 8\n");
  }

  private static String resource(String name) throws Exception {
    try (InputStream in = SessionPromptTest.class.getResourceAsStream(name)) {
      assertThat(in).as(name).isNotNull();
      return new String(in.readAllBytes(), StandardCharsets.UTF_8);
    }
  }
}
