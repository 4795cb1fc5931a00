package dev.ralph.core.internal.prompt;

import static org.assertj.core.api.Assertions.assertThat;

import dev.ralph.Iteration;
import dev.ralph.NewMessage;
import dev.ralph.NewTask;
import dev.ralph.Ralph;
import dev.ralph.Session;
import dev.ralph.StatusChange;
import dev.ralph.Task;
import dev.ralph.tool.Tools;
import java.nio.file.Path;
import java.time.Clock;
import java.time.Instant;
import java.time.ZoneOffset;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** The prompt of one of several agents. */
class WorkerPromptTest {

  private static final Instant NOW = Instant.parse("2026-03-01T10:00:00Z");
  private static final int LIMIT = 3_600;

  private enum ToolKind {
    COMMANDS,
    MCP,
    NONE;

    @Nullable Tools tools() {
      return switch (this) {
        case COMMANDS -> Tools.commands(Path.of("/" + "opt/".repeat(60) + "bin/ralph"));
        case MCP -> Tools.mcp("mcp__ralph__");
        case NONE -> null;
      };
    }
  }

  private final Ralph ralph =
      Ralph.builder().store("memory").clock(Clock.fixed(NOW, ZoneOffset.UTC)).open();
  private final Session session = ralph.session("auth");
  private ToolKind tools = ToolKind.COMMANDS;
  private Path spec = Path.of("/home/me/shop/specs/SPEC.md");
  private PromptSource source = PromptSource.builtIn();
  private Iteration.Role role = Iteration.Role.BUILD;
  private Optional<String> idle = Optional.empty();
  private List<String> refused = List.of();

  @AfterEach
  void close() {
    ralph.close();
  }

  private String render(TeamContext team) {
    return new SessionPrompt(
            source.withTask(), role, ralph.log()::info, tools.tools(), spec, "", Map.of())
        .render(session, 7, NOW, refused, idle, team);
  }

  private static TeamContext.Place place(String branch, boolean isTakenUp) {
    Path main = Path.of("/home/me/shop");
    Path tree = main.resolve(".ralph/worktrees/" + branch + ".2");
    return new TeamContext.Place(
        tree,
        "ralph/" + branch + ".t2",
        "ralph/" + branch,
        isTakenUp,
        file -> tree.resolve(main.relativize(file)));
  }

  private static TeamContext worker(@Nullable Task task) {
    return new TeamContext(2, 4, task, 1, place("auth", false), null, List.of());
  }

  private static TeamContext returned(Task task, int attempt, String reason) {
    return new TeamContext(2, 4, task, attempt, place("auth", true), reason, List.of());
  }

  /** Asserts that a prompt has no instructions to choose a task or to complete the session. */
  private static void assertConsistent(String prompt) {
    assertThat(prompt)
        .doesNotContain(
            "Pick ONE",
            "REMAINING",
            "WAITING",
            "IN PROGRESS",
            "don't start these",
            "task_next",
            "session_complete",
            "call complete",
            "\"$RALPH\" complete",
            "\"$RALPH\" tasks",
            "tasks --ready",
            "in_progress",
            "Add a task for each piece",
            "COMPLETION REFUSED",
            "{{");
  }

  @Test
  void freshTask_promptHasOnlyItsAssignment() {
    session.tasks().add("Write the form");
    Task task = session.tasks().add("Write the login\n\nWith a test.");

    String prompt = render(worker(task));

    assertThat(prompt)
        .isEqualTo(
            """
            ## Your assignment

            You are agent 2 of 4.
            Your task is t2, and no other:
            Write the login

            With a test.

            Folder: /home/me/shop/.ralph/worktrees/auth.2 (a Git work tree of your own)
            Branch: ralph/auth.t2
            Stay on this branch. After your work, the branch is merged into ralph/auth, where the gates run.

            ## Context
            - Session: auth, iteration 7
            - Spec: /home/me/shop/.ralph/worktrees/auth.2/specs/SPEC.md

            ## Tools
            Run these shell commands verbatim. Replace ID, TEXT and the note type. $RALPH is set.
            # Your task: completed; blocked, with the reason
            "$RALPH" task done t2
            "$RALPH" task block t2 'TEXT'
            # Add a task for further work; show a task
            "$RALPH" task add 'TEXT'
            "$RALPH" task show ID
            # Notes for later agents, of type learning, stuck, tip, decision or blocked
            "$RALPH" note add --type learning 'TEXT'
            "$RALPH" notes
            # Messages from the operator; a question, whose answer comes later as a message
            "$RALPH" inbox
            "$RALPH" inbox read ID
            "$RALPH" ask 'TEXT'
            # Long TEXT, or TEXT with an apostrophe:
            "$RALPH" note add --type learning - <<'EOF'
            TEXT
            EOF

            ## Instructions
            1. If there are unread messages, process them first, and mark each as read.
            2. Do your task and nothing else.
            3. Run the tests, and fix all failures.
            4. Commit all changes on your branch, with a clear message.
            5. Set your task to completed, and end. If completion is refused, correct the cause, \
            commit, and set the task to completed again.
            - If you can't finish the task, set it to blocked with the reason, and end.
            - If you find other work, add it as a new task and leave it to another agent.
            - Add a note with facts for later agents.
            """);
    assertConsistent(prompt);
  }

  @ParameterizedTest
  @EnumSource(ToolKind.class)
  void returnedTask_showsAttemptReasonAndMerge(ToolKind kind) {
    tools = kind;
    session.tasks().add("Write the form");
    Task task = session.tasks().add("Write the login");

    String prompt = render(returned(task, 3, "gate failed: make test\nline 1\nFAILED LoginTest"));

    assertThat(prompt)
        .contains(
            "This is attempt 3 at the task.\nEarlier work was returned:\ngate failed: make test\n",
            "  FAILED LoginTest\n",
            "Begin with: git merge ralph/auth\n",
            "Branch: ralph/auth.t2 (has unmerged commits; continue from them)");
    assertConsistent(prompt);
  }

  @Test
  void longReason_keepsItsFirstLineAndItsEnd() {
    Task task = session.tasks().add("Write the login");

    String prompt =
        render(
            returned(task, 2, "gate failed: mvn verify\n" + "noise\n".repeat(9_000) + "the end"));

    assertThat(prompt).contains("gate failed: mvn verify …\n  noise", "noise\n  the end\n");
    assertThat(prompt.length()).isLessThan(LIMIT + task.length());
  }

  @Test
  void relatedTasks_areNamedWithTheirRelation() {
    Task base = session.tasks().add("Write the base");
    Task own =
        session
            .tasks()
            .add(NewTask.of("Write the login").dependsOn(base.id()).touches("src/login/**"));
    session.tasks().add(NewTask.of("Write the logout\nAll of it").dependsOn(own.id()));
    session.tasks().add(NewTask.of("Colour the login").touches("src/login/form.css"));
    Task other = session.tasks().add("Write the docs");
    session.tasks().add("Unrelated work");
    session.tasks().complete(base.id());

    String prompt =
        render(
            new TeamContext(
                2,
                4,
                session.tasks().get(own.id()),
                1,
                place("auth", false),
                null,
                List.of(new TeamContext.Other(3, other))));

    assertThat(prompt)
        .contains(
            """
            ## Related tasks (for other agents)
            - [t5] Write the docs (agent 3 works on it)
            - [t3] Write the logout … (waits for your task)
            - [t1] Write the base (your task depends on it, completed)
            - [t4] Colour the login (touches the same files)
            """)
        .doesNotContain("Unrelated work");
    assertConsistent(prompt);
  }

  @ParameterizedTest
  @EnumSource(ToolKind.class)
  void longestState_staysWithinTheLimit(ToolKind kind) {
    tools = kind;
    String name = "n".repeat(127);
    spec = Path.of("/home/me/shop/" + "deeply/nested/".repeat(100) + "SPEC.md");
    Task own =
        session.tasks().add(NewTask.of("Own \ud83d\ude00 text".repeat(500)).touches("src/**"));
    for (int i = 0; i < 150; i++) {
      session.tasks().add(NewTask.of("Wait for it ".repeat(20)).dependsOn(own.id()));
      session.tasks().add(NewTask.of("Touch the same ".repeat(20)).touches("src/" + i));
      session.questions().ask("Which one? ".repeat(30), "agent-1", 1);
    }
    List<TeamContext.Other> others =
        session.tasks().list().stream()
            .skip(1)
            .limit(63)
            .map(task -> new TeamContext.Other(task.number(), task))
            .toList();
    idle = Optional.of("Nothing has changed in the last 3 iterations. ".repeat(20));

    String prompt =
        render(
            new TeamContext(
                2,
                64,
                own,
                5,
                place(name, true),
                "gate failed\n" + "output\n".repeat(2_000),
                others));

    assertThat(prompt.length() - own.length()).isLessThanOrEqualTo(LIMIT);
    assertThat(prompt)
        .contains("gate failed", "git merge ralph/" + name, "SPEC.md")
        .containsPattern("- … and \\d+ more\n");
    assertConsistent(prompt);
  }

  @Test
  void usualPrompt_hasRoomForRelatedTasks() {
    Task own = session.tasks().add(NewTask.of("Write the login").touches("src/**"));
    for (int i = 0; i < 300; i++) {
      session.tasks().add(NewTask.of("Touch file " + i).touches("src/" + i));
    }

    String prompt = render(worker(own));

    assertThat(prompt).contains("[t2]", "[t20]", " more\n").doesNotContain("[t200]");
    assertThat(prompt.length()).isLessThanOrEqualTo(LIMIT);
  }

  @Test
  void messages_carryTheNumberOfCommands() {
    Task task = session.tasks().add("Write the login");
    session.inbox().send("Use the old parser");
    session.inbox().send("In German");

    String prompt = render(worker(task));

    assertThat(prompt)
        .startsWith(InboxSection.HEADING + "\n- [m1] ")
        .contains("\n- [m2] ", "In German", "\"$RALPH\" inbox read ID");
    assertConsistent(prompt);
  }

  @Test
  void handledMessages_nameTheAgent() {
    Task task = session.tasks().add("Write the login");
    session.inbox().send("Use the old parser");
    session.inbox().send("Read by a person");
    session.inbox().send("Not read yet");
    session.asAgent(3).inbox().markRead("m1");
    session.inbox().markRead("m2");

    String prompt = render(worker(task));

    assertThat(prompt)
        .contains("Not read yet", "## Messages that agents have handled (no action needed)\n")
        .containsPattern("\n- agent 3: \\[m\\d] \\S+: Use the old parser\n")
        .doesNotContain("Read by a person");
    assertThat(prompt.indexOf("Not read yet")).isLessThan(prompt.indexOf("old parser"));
  }

  @Test
  void messageToDifferentAgent_isNotShown() {
    Task task = session.tasks().add("Write the login");
    session.inbox().send(NewMessage.of("For the other").agent(3));
    session.inbox().send(NewMessage.of("For you").agent(2));
    session.inbox().send(NewMessage.of("For a missing agent").agent(9));

    assertThat(render(worker(task)))
        .contains(" for agent 2: For you", " for agent 9: For a missing agent")
        .doesNotContain("For the other");
    assertThat(render(worker(null))).contains("For the other");
  }

  @Test
  void notes_areShown() {
    Task task = session.tasks().add("Write the login");
    session.notes().add("learning", "The tests need port 80", 3);

    assertThat(render(worker(task))).contains("The tests need port 80");
  }

  @Test
  void refusedCompletion_isNoBusinessOfAWorker() {
    Task task = session.tasks().add("Write the login");
    refused = List.of("a gate failed");

    assertConsistent(render(worker(task)));
  }

  @Test
  void textWithPlaceholders_isShownAsWritten() {
    Task task = session.tasks().add("Fill {{tasks}} in\n## Instructions\n$RALPH");

    assertThat(render(worker(task))).contains("Fill {{tasks}} in\n## Instructions\n$RALPH\n");
  }

  @Test
  void sharedFolder_hasNoBranch() {
    Task task = session.tasks().add("Write the login");
    TeamContext.Place shared =
        new TeamContext.Place(Path.of("/home/me/shop"), null, null, false, file -> file);

    String prompt = render(new TeamContext(2, 4, task, 2, shared, "it failed", List.of()));

    assertThat(prompt)
        .contains("Other agents work in this folder", "This is attempt 2", "it failed")
        .doesNotContain("git merge", "work tree");
    assertConsistent(prompt);
  }

  @Test
  void noTask_agentPlansOrCompletes() {
    Task task = session.tasks().add("Decide on the price");
    session.tasks().status(task.id(), StatusChange.to(Task.Status.BLOCKED).because("no answer"));
    refused = List.of("gate failed: make test\nFAILED ShopTest");

    String prompt = render(worker(null));

    assertThat(prompt)
        .contains(
            "No task is ready, so you work alone and have no task.",
            "Add a task for each piece of work that has no task yet.",
            "- [t1] Decide on the price: no answer",
            "FAILED ShopTest",
            "call complete",
            "\"$RALPH\" complete")
        .doesNotContain("Pick ONE", "Your task is", "Set your task", "{{");
  }

  @ParameterizedTest
  @EnumSource(value = Iteration.Role.class, names = "BUILD", mode = EnumSource.Mode.EXCLUDE)
  void roleWithoutBuilding_keepsItsOwnPrompt(Iteration.Role other) {
    role = other;
    source = PromptSource.builtIn().withRole();

    assertThat(render(worker(null)))
        .contains("## THIS ITERATION", "Folder: /home/me/shop/.ralph/worktrees/auth.2")
        .doesNotContain("No task is ready", "Your task is");
  }

  @Test
  void ownTemplate_getsConsistentPlaceholders() {
    source = PromptSource.template("Build the shop.\n{{tasks}}\n{{history}}\n{{tools}}");
    session.tasks().add("Write the form");
    Task own = session.tasks().add("Write the login");
    session.tasks().add(NewTask.of("Write the logout").dependsOn(own.id()));
    refused = List.of("a gate failed");

    String prompt = render(worker(own));

    assertThat(prompt)
        .startsWith("## Your assignment\n")
        .contains("Your task is t2, and no other:\nWrite the login\n", "Build the shop.", "[t3]")
        .doesNotContain("Write the form");
    assertConsistent(prompt);
  }

  @Test
  void ownPrompt_isFollowedByTheAssignment() {
    source = PromptSource.prompt("Build the shop.");
    Task own = session.tasks().add("Write the login");

    String prompt = render(worker(own));

    assertThat(prompt)
        .startsWith("Build the shop.\n")
        .contains("Your task is t1, and no other:\nWrite the login\n", "task done t1");
    assertConsistent(prompt);
  }
}
