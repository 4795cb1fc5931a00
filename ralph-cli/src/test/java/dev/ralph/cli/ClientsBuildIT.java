package dev.ralph.cli;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

import com.fasterxml.jackson.databind.JsonNode;
import dev.ralph.agents.ClientSandbox;
import dev.ralph.agents.ClientSandbox.Client;
import dev.ralph.agents.Messages;
import dev.ralph.agents.OpencodeSandbox;
import dev.ralph.agents.ScriptedModelServer;
import dev.ralph.agents.ScriptedModelServer.Reply;
import dev.ralph.agents.ScriptedModelServer.Request;
import dev.ralph.cli.Checkout.Exit;
import dev.ralph.cli.Checkout.Started;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.assertj.core.api.InstanceOfAssertFactories;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.api.parallel.Execution;
import org.junit.jupiter.api.parallel.ExecutionMode;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/**
 * {@code ralph build} with the real clients, which start the real {@code ralph mcp}. Only the model
 * is scripted. The script knows only its prompt and its tool results, and works by calling the
 * session's tools and the client's own shell.
 */
@Tag("clients")
@Timeout(300)
class ClientsBuildIT {

  /** A client and its option. Tests run opencode once if its server makes no difference. */
  private enum Run {
    OPENCODE(Client.OPENCODE, ""),
    OPENCODE_ALONE(Client.OPENCODE, "--no-server"),
    CLAUDE(Client.CLAUDE, ""),
    CODEX(Client.CODEX, "");

    private final Client client;
    private final String option;

    Run(Client client, String option) {
      this.client = client;
      this.option = option;
    }
  }

  private static final String SPEC = "# A greeting\n\nWrite greeting.txt and farewell.txt.\n";
  private static final Pattern MESSAGE = Pattern.compile("(?m)^- \\[(m[0-9]+)] .*: (.*)$");

  private static final Pattern TASK = Pattern.compile("(?m)^Your task is t(\\d+), and no other:");

  @TempDir static Path folder;
  private static Checkout shared;

  private Run run;
  private Checkout checkout;
  private Started build;
  private Throwable failure;

  /** The descendants of the command, collected during requests to the model. */
  private final Set<ProcessHandle> descendants = ConcurrentHashMap.newKeySet();

  /** The names of the tools that the model called, by iteration. */
  private final Map<Integer, List<String>> calls = new ConcurrentHashMap<>();

  @BeforeAll
  static void makeACheckout() throws Exception {
    shared = Checkout.shared(folder);
  }

  @AfterEach
  void endWhatIsLeft() {
    if (checkout != null) {
      checkout.clear();
    }
  }

  // ---- a whole session

  @ParameterizedTest
  @Execution(ExecutionMode.CONCURRENT)
  @EnumSource
  void realClient_completesSessionWithTools(Run run) throws Exception {
    try (ScriptedModelServer model = ScriptedModelServer.start(this::reply)) {
      moveIn(run, "whole", model);
      checkout.ralph("task", "add", "--create", "--name", "another", "Not for this session");
      assertThat(checkout.ralph("message", "Greet the world").out()).startsWith("Message sent: ");

      String[] words = words("--gate", "test -f farewell.txt");
      synchronized (this) {
        build = checkout.start(words);
      }
      Exit exit = build.exit();
      keep(words, exit);

      List<String> left = checkout.left();
      if (failure != null) {
        throw new AssertionError("the model's script failed; the command said:\n" + exit, failure);
      }
      String seen = exit + "\n" + model.log();
      assertThat(exit.code()).as(seen).isZero();
      assertThat(exit.err()).isEmpty();
      assertThat(left).as("processes left").isEmpty();
      assertThat(descendants).isNotEmpty().noneMatch(process -> Checkout.isRunning(process.pid()));
      assertThat(exit.out())
          .contains("whole - Iteration #1...", "whole - Iteration #2...")
          .contains("gate passed: test -f farewell.txt", "loop ended: completed");
      assertThat(exit.out().contains("Web UI: http://127.0.0.1:")).isEqualTo(run == Run.OPENCODE);
      assertState();
      assertRequests(model.turns());
      assertReplays();
    }
    assertThat(checkout.shell("git log --format=%s --reverse").out())
        .isEqualTo("Say what to build\nWrite greeting.txt\nWrite farewell.txt\n");
    assertThat(checkout.shell("git status --porcelain").out()).isEmpty();
  }

  // ---- two concurrent clients

  @Test
  void claudeAndCodex_mergeTasksSideBySide() throws Exception {
    try (ScriptedModelServer claude = model(Client.CLAUDE);
        ScriptedModelServer codex = model(Client.CODEX)) {
      moveIn(Run.CLAUDE, "side", claude);
      Path other = folder.resolve("sandbox-side-other");
      ClientSandbox.of(Client.CODEX, other, codex.origin()).environment().forEach(checkout::with);
      Path programs = Client.CODEX.program().getParent();
      checkout.with(
          "PATH", run.client.program().getParent() + ":" + programs + ":" + System.getenv("PATH"));
      for (int i = 1; i <= 4; i++) {
        checkout.ralph("task", "add", "--create", "Write t" + i + ".txt");
      }

      String[] words = {
        "build", "--agents", "claude,codex", "--gate", "test -f specs/SPEC.md", "--timeout", "2m"
      };
      Exit exit = checkout.start(words).exit();

      String seen = exit + "\n" + claude.log() + codex.log();
      assertThat(exit.code()).as(seen).isZero();
      assertThat(checkout.left()).as("processes left").isEmpty();
      assertThat(exit.out())
          .contains(", agent 1 (t", ", agent 2 (t", "loop ended: completed")
          .contains(" commits from ralph/side into ");
      assertThat(claude.turns()).isNotEmpty();
      assertThat(codex.turns()).isNotEmpty();
    }
    assertThat(checkout.shell("cat t1.txt t2.txt t3.txt t4.txt").out())
        .isEqualTo("hello\nhello\nhello\nhello\n");
    assertThat(checkout.shell("git log --format=%B | grep -c '^Ralph-Task: '").out())
        .isEqualTo("4\n");
    assertThat(checkout.shell("git status --porcelain").out()).isEmpty();
  }

  private static ScriptedModelServer model(Client client) {
    return ScriptedModelServer.start(request -> sideBySide(client, request));
  }

  /** Completes the task of the prompt, or the session if the prompt has no task. */
  private static Reply sideBySide(Client client, Request request) {
    Matcher given = TASK.matcher(request.userText());
    int done = request.toolResults().size();
    if (!given.find()) {
      return done == 0
          ? Reply.tool(client.sessionTool("session_complete"), Map.of())
          : Reply.text("All is done.");
    }
    String task = "t" + given.group(1);
    return switch (done) {
      case 0 -> client.shell("echo hello >" + task + ".txt");
      case 1 ->
          Reply.tool(client.sessionTool("task_status"), Map.of("id", task, "status", "completed"));
      default -> Reply.text("I have done " + task + ".");
    };
  }

  /** Runs {@link #settle} and selects the session. */
  private void moveIn(Run run, String session, ScriptedModelServer model) throws Exception {
    settle(run, session, model);
    checkout.with("RALPH_SESSION", session);
  }

  /** Creates a working folder with a new repository, and the sandbox of the client. */
  private void settle(Run run, String name, ScriptedModelServer model) throws Exception {
    this.run = run;
    settle(run.client, name + "-" + run, model);
  }

  private void settle(Client client, String name, ScriptedModelServer model) throws Exception {
    Path program = client.program();
    assertThat(program).as("program found on the PATH").hasFileName(client.command());
    checkout = shared.elsewhere(name);
    Path root = folder.resolve("sandbox-" + name);
    ClientSandbox.of(client, root, model.origin()).environment().forEach(checkout::with);
    checkout.with("PATH", program.getParent() + ":" + System.getenv("PATH"));
    Files.createDirectory(checkout.work().resolve("specs"));
    checkout.file("specs/SPEC.md", SPEC);
    Exit git =
        checkout.shell(
            "set -e; git init -q; git config user.name A; git config user.email a@localhost\n"
                + "git config commit.gpgsign false; git add -A; git commit -qm 'Say what to"
                + " build'");
    assertThat(git.code()).as(git.err()).isZero();
  }

  private String[] words(String... more) throws IOException {
    List<String> words = new ArrayList<>(List.of("build", "--agent", run.client.command()));
    if (run.client == Client.OPENCODE) {
      words.addAll(List.of("-m", OpencodeSandbox.MODEL));
    }
    if (run == Run.OPENCODE) {
      words.addAll(List.of("--port", "" + OpencodeSandbox.freePort()));
    }
    if (!run.option.isEmpty()) {
      words.add(run.option);
    }
    words.addAll(List.of(more));
    return words.toArray(new String[0]);
  }

  /** Saves the output of the command for inspection. */
  private void keep(String[] words, Exit exit) throws IOException {
    Path sessions = Files.createDirectories(Path.of("target/clients"));
    String said = "$ ralph " + String.join(" ", words) + "\n" + exit.out() + exit.err();
    Files.writeString(sessions.resolve(run.name().toLowerCase(Locale.ROOT) + ".txt"), said);
  }

  /** Called for one request at a time, in a thread of the model server. */
  private Reply reply(Request request) {
    try {
      synchronized (this) {
        build.process().toHandle().descendants().forEach(descendants::add);
      }
      return next(request);
    } catch (Throwable e) {
      failure = failure == null ? e : failure; // later failures follow from the first
      return Reply.text("The script failed.");
    }
  }

  private Reply next(Request request) throws Exception {
    String prompt = request.userText();
    int iteration = Integer.parseInt(first("(?m)^- Iteration: (\\d+)$", prompt));
    return iteration == 1
        ? firstIteration(prompt, withoutWaits(request))
        : secondIteration(prompt, request.toolResults());
  }

  /** Returns the tool results of the script, without the calls that only wait. */
  private List<String> withoutWaits(Request ofFirstIteration) {
    List<String> results = new ArrayList<>(ofFirstIteration.toolResults());
    results.subList(Math.min(7, results.size()), Math.min(7 + waited, results.size())).clear();
    return results;
  }

  private Reply firstIteration(String prompt, List<String> results) throws Exception {
    switch (results.size()) {
      case 0:
        return call(1, "inbox_list", Map.of());
      case 1:
        return call(1, "inbox_mark_read", Map.of("id", message(results.get(0), "Greet the world")));
      case 2:
        return call(1, "task_add", Map.of("content", "Write greeting.txt"));
      case 3:
        return call(1, "task_add", Map.of("content", "Write farewell.txt"));
      case 4:
        return call(1, "task_next", Map.of());
      case 5:
        assertThat(results.get(4)).contains("Task t1 ", "Write greeting.txt");
        return shell(1, "greeting.txt");
      case 6:
        // The operator sends a message during the work.
        assertThat(checkout.ralph("message", "Say farewell too").code()).isZero();
        return call(1, "task_status", Map.of("id", "t1", "status", "completed"));
      case 7:
        // The tool result contains the message, unless opencode's server took it. Then this request
        // or a later request contains it as text of the user.
        String shown =
            results.get(6).contains("OPERATOR") || run != Run.OPENCODE ? results.get(6) : prompt;
        if (run == Run.OPENCODE && !shown.contains("OPERATOR")) {
          return waitForMessage();
        }
        assertThat(shown).contains("MESSAGE FROM THE OPERATOR");
        String id =
            message(
                shown.substring(shown.indexOf("MESSAGE FROM THE OPERATOR")), "Say farewell too");
        return call(1, "inbox_mark_read", Map.of("id", id));
      case 8:
        return call(
            1, "note_add", Map.of("type", "decision", "content", "The operator wants a farewell"));
      case 9:
        // The iteration ends with an unfinished task, which the next iteration must receive.
        return call(1, "task_next", Map.of());
      default:
        return Reply.text("I have done t1.");
    }
  }

  private Reply secondIteration(String prompt, List<String> results) {
    switch (results.size()) {
      case 0:
        assertThat(prompt).contains("The operator wants a farewell").doesNotContain("Say farewell");
        return call(2, "inbox_list", Map.of());
      case 1:
        assertThat(results.get(0)).contains("No unread messages");
        return call(2, "task_next", Map.of());
      case 2:
        assertThat(results.get(1)).contains("Task t2 is yours");
        return call(2, "task_status", Map.of("id", "t2", "status", "completed"));
      case 3:
        // The first attempt is too early: the gate fails, and the result contains its failure.
        return call(2, "session_complete", Map.of());
      case 4:
        assertThat(results.get(3)).contains("gate failed with exit code 1: test -f farewell.txt");
        return shell(2, "farewell.txt");
      case 5:
        return call(2, "session_complete", Map.of());
      case 6:
        assertThat(results.get(5)).contains("marked complete. The gates passed");
        return Reply.text("I have done t2.");
      default:
        return Reply.text("I have done t2.");
    }
  }

  private Reply call(int iteration, String tool, Map<String, ?> arguments) {
    return remember(iteration, Reply.tool(run.client.sessionTool(tool), arguments));
  }

  private Reply shell(int iteration, String file) {
    return remember(
        iteration,
        run.client.shell(
            "echo hello >"
                + file
                + " && git add -A && git commit -qm 'Write "
                + file
                + "' && git log -1 --format=%s"));
  }

  private Reply remember(int iteration, Reply reply) {
    calls
        .computeIfAbsent(iteration, none -> new ArrayList<>())
        .add(reply.toolCalls().get(0).name());
    return reply;
  }

  /** Returns the id of the message, which must be the only message in the text. */
  private static String message(String shown, String text) {
    Matcher message = MESSAGE.matcher(shown);
    assertThat(message.find()).as(shown).isTrue();
    assertThat(message.group(2)).isEqualTo(text);
    String id = message.group(1);
    assertThat(message.find()).as("another message in:\n" + shown).isFalse();
    return id;
  }

  private static String first(String regex, String text) {
    Matcher matcher = Pattern.compile(regex).matcher(text);
    assertThat(matcher.find()).as(() -> regex + " in:\n" + text).isTrue();
    return matcher.group(1);
  }

  private void assertState() throws Exception {
    JsonNode tasks = checkout.json("tasks").get("tasks");
    assertThat(tasks).hasSize(2);
    for (int number = 1; number <= 2; number++) {
      JsonNode task = tasks.get(number - 1);
      assertThat(task.get("status").asText()).isEqualTo("completed");
      assertThat(task.get("iteration").asInt()).isEqualTo(number);
    }

    JsonNode messages = checkout.json("inbox", "--all").get("messages");
    assertThat(messages).hasSize(2).allMatch(message -> message.get("read").asBoolean());
    assertThat(messages.get(0).get("text").asText()).isEqualTo("Greet the world");
    assertThat(messages.get(1).get("text").asText()).isEqualTo("Say farewell too");

    JsonNode iterations = checkout.json("iterations").get("iterations");
    assertThat(iterations).hasSize(2);
    long all = 0;
    for (int number = 1; number <= 2; number++) {
      JsonNode iteration = iterations.get(number - 1);
      assertThat(iteration.get("n").asInt()).isEqualTo(number);
      assertThat(iteration.get("status").asText()).isEqualTo("success");
      assertThat(iteration.get("summary").asText()).isEqualTo("I have done t" + number + ".");
      // One request for each call, including calls that only wait, and one for the final text.
      long requests = calls.get(number).size() + (number == 1 ? waited : 0) + 1L;
      all += requests;
      JsonNode usage = iteration.get("usage");
      assertThat(usage.get("input_tokens").asLong()).isEqualTo(requests * Messages.INPUT_TOKENS);
      assertThat(usage.get("output_tokens").asLong()).isEqualTo(requests * Messages.OUTPUT_TOKENS);
      if (run.client != Client.CODEX) {
        assertThat(usage.get("cost_usd").asDouble()).isPositive();
      }
      String transcript =
          checkout.json("iterations", "--transcript", "" + number).get("text").asText();
      assertThat(transcript)
          .contains("task_status", "git commit")
          .endsWith("I have done t" + number + ".\n");
    }

    JsonNode status = checkout.json("status");
    assertThat(status.get("state").asText()).isEqualTo("completed");
    assertThat(status.get("unread").asInt()).isZero();
    assertThat(status.at("/usage/input_tokens").asLong()).isEqualTo(all * Messages.INPUT_TOKENS);
  }

  /** A replay repeats everything without the client, except the gates that the tool had run. */
  private void assertReplays() throws Exception {
    Exit replay = checkout.ralph("replay");
    List<String> lines = replay.out().lines().toList();
    assertThat(lines)
        .as(replay.out())
        .last(InstanceOfAssertFactories.STRING)
        .isEqualTo("The session whole-replay replays 2 iterations of whole: 2 differences");
    assertThat(lines.subList(0, lines.size() - 1))
        .allMatch(line -> line.matches("#2, call \\d of session_complete: .*gate.*"));
    assertThat(replay.code()).isEqualTo(1);
  }

  /** Asserts that the model's log contains the calls and their results. */
  private void assertRequests(List<Request> turns) {
    assertThat(calls.get(1)).hasSize(10);
    assertThat(calls.get(2)).hasSize(6);
    assertThat(turns).hasSize(10 + waited + 6 + 2);
    Request last = turns.get(10 + waited);
    List<String> results = withoutWaits(last);
    Request second = turns.get(turns.size() - 1);
    assertThat(last.conversation().toolNames()).containsAll(calls.get(1));
    assertThat(results.get(1)).endsWith("marked as read");
    assertThat(results.get(2)).contains("Task t1 ");
    assertThat(results.get(3)).contains("Task t2 ");
    assertThat(results.get(5)).contains("Write greeting.txt");
    assertThat(results.get(7)).endsWith("marked as read");
    assertThat(results.get(8)).contains("Note added").doesNotContain("OPERATOR");
    assertThat(second.toolResults().get(1)).contains("Task t2 ").doesNotContain("Task t1 ");
  }

  // ---- a story of an OpenSpec change

  private static final String TASKS =
      "## 1. A greeting\n- [ ] 1.1 Write greeting.txt\n- [ ] 1.2 Write farewell.txt\n";

  private static final String CLAIM = "All is done. <promise>COMPLETE</promise>";

  @ParameterizedTest
  @Execution(ExecutionMode.CONCURRENT)
  @EnumSource(names = "OPENCODE_ALONE", mode = EnumSource.Mode.EXCLUDE)
  void changeStory_isBuiltInWorkTree(Run run) throws Exception {
    try (ScriptedModelServer model = ScriptedModelServer.start(this::worksOnAStory)) {
      settle(run, "story", model);
      Files.createDirectories(checkout.work().resolve("openspec/changes/greet"));
      checkout.file("openspec/changes/greet/proposal.md", "## Why\nTo be polite.\n");
      checkout.file("openspec/changes/greet/tasks.md", TASKS);
      checkout.file("openspec/verify", "test: test -f farewell.txt\n");
      assertThat(checkout.shell("git add -A && git commit -qm 'Plan a greeting'").code()).isZero();

      Exit exit = checkout.ralph(words("--yes", "--change", "greet", "--worktree"));

      if (failure != null) {
        throw new AssertionError("the model's script failed; the command said:\n" + exit, failure);
      }
      assertThat(checkout.left()).as("processes left").isEmpty();
      assertThat(exit.code()).as(exit + "\n" + model.log()).isZero();
      assertThat(exit.out())
          .startsWith("Story 1. A greeting (1 of 1)\n")
          .contains(" - Iteration #3...", "completion refused: gate failed", "gate passed: ")
          .endsWith("1 learning was added to design.md; the work is on the branch ralph/greet\n");
      List<String> prompts = model.turns().stream().map(Request::userText).distinct().toList();
      assertThat(prompts).hasSize(3);
      assertThat(prompts.get(0))
          .contains("<proposal>\n## Why\nTo be polite.\n</proposal>")
          .contains("1. A greeting, 1 of 1; 0 of 2 tasks are ticked.", "  - test -f farewell.txt")
          .doesNotContain("You wrote");
      assertThat(prompts.get(1))
          .contains("1 of 2 tasks are ticked.")
          .contains(", but these tasks are not complete: 1.2");
      assertThat(prompts.get(2)).contains("2 of 2 tasks are ticked.", "COMPLETION REFUSED");
    }
    assertThat(checkout.shell("git log --format=%s ralph/greet").out())
        .isEqualTo(
            "Record the learnings of greet\nA greeting\nPlan a greeting\nSay what to build\n");
    assertThat(checkout.shell("git show ralph/greet:openspec/changes/greet/tasks.md").out())
        .isEqualTo(TASKS.replace("[ ]", "[x]"));
    assertThat(checkout.shell("git show ralph/greet:openspec/changes/greet/design.md").out())
        .containsOnlyOnce("- The port is 8080");
    assertThat(checkout.shell("git ls-tree -r --name-only ralph/greet").out())
        .contains("farewell.txt\n", "greeting.txt\n")
        .doesNotContain(".ralph");
    assertThat(checkout.shell("git status --porcelain; git log -1 --format=%s").out())
        .as("unchanged checkout")
        .isEqualTo("Plan a greeting\n");
  }

  /** Called for one request at a time, in a thread of the model server. */
  private Reply worksOnAStory(Request request) {
    try {
      String prompt = request.userText();
      int done = request.toolResults().size();
      switch (first("(?m)^- Iteration: (\\d+)$", prompt)) {
        case "1":
          return done == 0
              ? run.client.shell("echo hello >greeting.txt")
              : done == 1 ? completed("t1") : Reply.text(CLAIM);
        case "2":
          if (done == 0) {
            return session("note_add", Map.of("type", "learning", "content", "The port is 8080"));
          }
          return done == 1 ? completed("t2") : Reply.text("I have forgotten something.");
        default:
          return done == 0 ? run.client.shell("echo bye >farewell.txt") : Reply.text("Mended.");
      }
    } catch (Throwable e) {
      failure = failure == null ? e : failure; // later failures follow from the first
      return Reply.text("The script failed.");
    }
  }

  private Reply completed(String task) {
    return session("task_status", Map.of("id", task, "status", "completed"));
  }

  // ---- git commands and messages of an operator

  /** Git commands of agents. Each would revert a store that is part of the repository. */
  private static final List<String> GIT =
      List.of(
          "echo work >work.txt && git add -A && git commit -qm 'Everything there is'",
          "git reset -q --hard HEAD~1",
          "echo more >>specs/SPEC.md && echo new >new.txt && git stash -q -u",
          "echo more >>specs/SPEC.md && git checkout -q -- .",
          "echo new >new.txt && git clean -qfd");

  /** The messages of the operator, in order. */
  private final List<String> sent = new ArrayList<>();

  private int step;
  private int waited;

  @ParameterizedTest
  @Execution(ExecutionMode.CONCURRENT)
  @EnumSource(names = "OPENCODE_ALONE", mode = EnumSource.Mode.EXCLUDE)
  void gitCommandsOfAgent_undoNoMessage(Run run) throws Exception {
    try (ScriptedModelServer model = ScriptedModelServer.start(this::worksWithGit)) {
      moveIn(run, "git", model);

      Exit exit = checkout.ralph(words("-i", "2"));

      if (failure != null) {
        throw new AssertionError("the model's script failed; the command said:\n" + exit, failure);
      }
      assertThat(checkout.left()).as("processes left").isEmpty();
      assertThat(exit.code()).as(exit + "\n" + model.log()).isZero();
    }
    assertThat(sent).hasSize(GIT.size() + 1);
    assertThat(texts("inbox", "messages", "text", "--all")).isEqualTo(sent);
    assertThat(checkout.json("status").get("unread").asInt()).isZero();
    assertThat(texts("tasks", "tasks", "content")).containsExactly("Write the form");
    assertThat(texts("tasks", "tasks", "status")).containsExactly("completed");
    assertThat(texts("notes", "notes", "content")).containsExactly("The port is 8080");
    assertThat(texts("iterations", "iterations", "status")).containsExactly("success");
    assertThat(checkout.ralph("verify").out()).contains("No damage");
    assertThat(checkout.shell("git log --all --reflog --format= --name-only").out())
        .contains("work.txt", "new.txt")
        .doesNotContain(".ralph");
    assertThat(checkout.shell("git status --porcelain").out()).isEmpty();
  }

  private List<String> texts(String command, String list, String member, String... options)
      throws Exception {
    List<String> words = new ArrayList<>(List.of(command));
    words.addAll(List.of(options));
    List<String> texts = new ArrayList<>();
    checkout
        .json(words.toArray(new String[0]))
        .get(list)
        .forEach(element -> texts.add(element.get(member).asText()));
    return texts;
  }

  /** Called for one request at a time, in a thread of the model server. */
  private Reply worksWithGit(Request request) {
    try {
      return nextWithGit(request);
    } catch (Throwable e) {
      failure = failure == null ? e : failure; // later failures follow from the first
      return Reply.text("The script failed.");
    }
  }

  private Reply nextWithGit(Request request) throws Exception {
    if (!sent.isEmpty() && !request.body().toString().contains(sent.get(sent.size() - 1))) {
      return waitForMessage();
    }
    switch (step++) {
      case 0:
        return session("task_add", Map.of("content", "Write the form"));
      case 1:
        return session("note_add", Map.of("type", "learning", "content", "The port is 8080"));
      case 2, 3, 4, 5, 6:
        send();
        return run.client.shell(GIT.get(step - 3));
      case 7:
        return session("task_status", Map.of("id", "t1", "status", "completed"));
      case 8:
        send();
        return session("session_complete", Map.of());
      case 9:
        assertThat(last(request)).contains("not read yet", sent.get(sent.size() - 1));
        return completeWith(last(request));
      default:
        if (last(request).contains("marked complete")) {
          return Reply.text("All is done.");
        }
        // The agent polls opencode's server for the messages that its model has received.
        assertThat(step).as(last(request)).isLessThan(60);
        return completeWith(last(request));
    }
  }

  /** Completes the session, with the confirmation word of the text if it contains one. */
  private Reply completeWith(String shown) {
    Set<String> words = new HashSet<>();
    WORD.matcher(shown).results().forEach(word -> words.add(word.group(1)));
    assertThat(words).as(shown).hasSizeLessThan(2);
    return session(
        "session_complete", words.isEmpty() ? Map.of() : Map.of("word", words.iterator().next()));
  }

  /**
   * Waits for a message. Calls opencode's own shell if the server delivers messages, otherwise a
   * tool of the session.
   */
  private Reply waitForMessage() {
    assertThat(run.client).as("only opencode delivers messages late").isEqualTo(Client.OPENCODE);
    assertThat(++waited).as(run + " " + sent).isLessThan(60 * GIT.size());
    return run == Run.OPENCODE ? run.client.shell("sleep 1") : session("task_list", Map.of());
  }

  private void send() throws Exception {
    send("This is message " + (sent.size() + 1) + " of the operator's");
  }

  private void send(String text) throws Exception {
    Exit exit = checkout.ralph("message", text);
    assertThat(exit.code()).as(exit.toString()).isZero();
    sent.add(text);
  }

  private Reply session(String tool, Map<String, ?> arguments) {
    return Reply.tool(run.client.sessionTool(tool), arguments);
  }

  private static String last(Request request) {
    List<String> results = request.toolResults();
    return results.get(results.size() - 1);
  }

  // ---- parallel tool calls

  private static final Pattern WORD = Pattern.compile("session_complete with word ([a-z]{6})\\.");

  /**
   * Characters of three bytes each, because clients measure the limit of a result in other units
   * than characters.
   */
  private static final String LONG = "\u5b57".repeat(4_500);

  private static final Pattern MORE =
      Pattern.compile("more characters: call inbox_list with id m2 and offset (\\d+)\\)");

  private static final String LONG_END = "the end of the long message";

  /** The number of tool results before the current turn. */
  private int resultsBefore;

  private boolean accepted;

  @ParameterizedTest
  @Execution(ExecutionMode.CONCURRENT)
  @EnumSource
  void messageDuringParallelCalls_staysUnread(Run run) throws Exception {
    try (ScriptedModelServer model = ScriptedModelServer.start(this::callsAtOnce)) {
      moveIn(run, "at-once", model);
      checkout.ralph("task", "add", "--create", "Write the form");

      Exit exit = checkout.ralph(words("-i", "2"));

      if (failure != null) {
        throw new AssertionError(
            "the model's script failed; the command said:\n" + exit + model.log(), failure);
      }
      String seen = exit + "\n" + model.log();
      assertThat(checkout.left()).as("processes left").isEmpty();
      assertThat(exit.code()).as(seen).isZero();
      assertThat(exit.out())
          .contains("m1 was read by the agent", "m" + sent.size() + " was read by the agent")
          .containsPattern(
              "completion refused: .* not read yet: .*m" + sent.size() + " after the turn");
      assertThat(texts("iterations", "iterations", "status")).hasSize(2).containsOnly("success");
    }
    assertThat(texts("inbox", "messages", "text", "--all")).isEqualTo(sent);
    assertThat(checkout.json("status").get("unread").asInt()).isZero();
  }

  /** Called for one request at a time, in a thread of the model server. */
  private Reply callsAtOnce(Request request) {
    try {
      heard(request);
      boolean first = request.userText().contains("- Iteration: 1\n");
      return first ? completesAtOnce(request) : marksAndCompletes(request);
    } catch (Throwable e) {
      failure = failure == null ? e : failure; // later failures follow from the first
      return Reply.text("The script failed.");
    }
  }

  /**
   * Asserts that only messages of earlier requests are read, and records the messages of this
   * request.
   */
  private void heard(Request request) throws Exception {
    String body = request.body().toString();
    for (JsonNode message : checkout.json("inbox", "--all").get("messages")) {
      String text = message.get("text").asText();
      String end = text.substring(Math.max(0, text.length() - LONG_END.length()));
      if (body.contains(end)) {
        requested.add(end);
      }
      assertThat(message.get("read").asBoolean() && !requested.contains(end)).as(text).isFalse();
    }
  }

  /** The ends of the messages that requests contained. */
  private final Set<String> requested = new HashSet<>();

  private Reply completesAtOnce(Request request) throws Exception {
    List<String> results = request.toolResults();
    String turn = String.join("\n", results.subList(resultsBefore, results.size()));
    resultsBefore = results.size();
    Reply complete = completeWith(turn);
    // opencode's server may deliver this message in time for the same turn.
    if (turn.contains("marked complete") || accepted) {
      accepted = true;
      send("after the turn");
      return Reply.text("All is done.");
    }
    switch (step++) {
      case 0:
        send("within the turn: " + "x".repeat(500));
        return Reply.atOnce(
            completed("t1"),
            session("session_complete", Map.of()),
            session("session_complete", Map.of("word", "bababa")),
            session("session_complete", Map.of()));
      case 1:
        assertThat(turn.split("1 message is not read yet", -1)).as(turn).hasSize(4);
        if (run != Run.OPENCODE) {
          assertThat(turn).containsPattern(WORD);
        }
        send("second: " + LONG + LONG_END);
        return Reply.atOnce(run.client.shell("sleep 2"), complete);
      case 2:
        assertThat(turn).contains("not read yet");
        send("third");
        return Reply.atOnce(session("inbox_list", Map.of("id", "m2")), complete);
      default:
        // The agent polls opencode's server for the messages that its model has received.
        assertThat(step).as(turn).isLessThan(20);
        Matcher more = MORE.matcher(turn);
        if (more.find()) {
          int offset = Integer.parseInt(more.group(1));
          assertThat(turn)
              .as("no client truncates the result")
              .contains(LONG.substring(0, offset - 50));
          return Reply.atOnce(
              session("inbox_list", Map.of("id", "m2", "offset", offset)), complete);
        }
        return complete;
    }
  }

  /**
   * Marks the messages of the prompt as read in one turn with the completion. The prompt may
   * contain more than the last message, because opencode's server may not have reported its last
   * deliveries.
   */
  private Reply marksAndCompletes(Request request) {
    assertThat(request.userText()).contains("after the turn");
    if (!request.toolResults().isEmpty()) {
      return Reply.text("Now it is.");
    }
    List<Reply> calls = new ArrayList<>();
    for (int number = sent.indexOf("after the turn") + 1; number <= sent.size(); number++) {
      calls.add(session("inbox_mark_read", Map.of("id", "m" + number)));
    }
    calls.add(session("session_complete", Map.of()));
    return Reply.atOnce(calls.toArray(new Reply[0]));
  }

  // ---- clients of the Agent Client Protocol

  @ParameterizedTest
  @Execution(ExecutionMode.CONCURRENT)
  @EnumSource(names = {"COPILOT", "GEMINI", "KILO"})
  void acpClient_callsSessionTools(Client client) throws Exception {
    try (ScriptedModelServer model = ScriptedModelServer.start(request -> acp(client, request))) {
      settle(client, "acp-" + client, model);
      checkout.with("RALPH_SESSION", "acp");
      checkout.ralph("task", "add", "--create", "Write t1.txt");

      Exit exit = checkout.ralph("build", "--agent", client.command(), "-i", "2");

      String seen = exit + "\n" + model.log();
      assertThat(checkout.left()).as("processes left").isEmpty();
      assertThat(exit.code()).as(seen).isZero();
      assertThat(exit.out()).contains("I have done t1.", "loop ended: completed");
      assertThat(model.turns()).as(seen).hasSize(5);
      assertThat(last(model.turns().get(4))).as(seen).contains("marked complete");
    }
    assertThat(checkout.shell("cat t1.txt").out()).isEqualTo("hello\n");
    assertThat(texts("tasks", "tasks", "status")).containsExactly("completed");
    assertThat(checkout.ralph("log", "--json").out())
        .as("frames of the tools")
        .containsPattern("\"action\":\"claim\",[^\n]*\"owner\":\"agent-[^\n]*\"iteration\":1")
        .containsPattern("\"action\":\"status\",[^\n]*\"status\":\"completed\",\"iteration\":1")
        .contains("\"action\":\"session_complete\"");
    assertThat(checkout.ralph("doctor").out())
        .containsPattern(
            "(?m)^(ok|note) +"
                + client.command()
                + ": \\D*\\d+\\.\\d+\\.\\d+[^,]*, "
                + (client == Client.KILO ? "no login found" : "logged in"));
  }

  /** Takes the next task, works, and completes the task and the session. */
  private static Reply acp(Client client, Request request) {
    return switch (request.toolResults().size()) {
      case 0 -> Reply.tool(client.sessionTool("task_next"), Map.of());
      case 1 -> client.shell("echo hello >t1.txt");
      case 2 ->
          Reply.tool(client.sessionTool("task_status"), Map.of("id", "t1", "status", "completed"));
      case 3 -> Reply.tool(client.sessionTool("session_complete"), Map.of());
      default -> Reply.text("I have done t1.");
    };
  }

  // ---- idle and endless models

  @ParameterizedTest
  @Execution(ExecutionMode.CONCURRENT)
  @EnumSource(names = "OPENCODE_ALONE", mode = EnumSource.Mode.EXCLUDE)
  void idleModel_endsLoopWithNoProgress(Run run) throws Exception {
    try (ScriptedModelServer model = ScriptedModelServer.inOrder()) {
      moveIn(run, "idle", model);
      model.goOnAlwaysWith(Reply.text("All is well."));

      Exit exit = checkout.ralph(words("--max-idle", "3"));

      assertThat(checkout.left()).as("processes left").isEmpty();
      assertThat(exit.code()).as(exit.toString()).isEqualTo(6);
      assertThat(exit.out()).contains("loop ended: no_progress");
      assertThat(texts("iterations", "iterations", "status")).hasSize(3).containsOnly("success");
      assertThat(model.turns()).hasSize(3);
      assertThat(model.turns().get(2).userText())
          .contains("Nothing has changed in the last 2 iterations");
    }
  }

  /** The tokens that each client reports for an answer of the model. */
  private static final int TOKENS = Messages.INPUT_TOKENS + Messages.OUTPUT_TOKENS;

  @ParameterizedTest
  @Execution(ExecutionMode.CONCURRENT)
  @EnumSource
  void endlessToolCalls_endAtTokenBudget(Run run) throws Exception {
    try (ScriptedModelServer model = ScriptedModelServer.inOrder()) {
      moveIn(run, "endless", model);
      model.goOnAlwaysWith(run.client.shell("echo once more"));

      Exit exit = checkout.ralph(words("--max-tokens", "" + (4 * TOKENS - 1)));

      assertEndedAfter(4, exit, model);
    }
  }

  @ParameterizedTest
  @Execution(ExecutionMode.CONCURRENT)
  @EnumSource(names = "OPENCODE_ALONE", mode = EnumSource.Mode.EXCLUDE)
  void endlessToolCalls_endAtCostBudget(Run run) throws Exception {
    try (ScriptedModelServer model = ScriptedModelServer.inOrder()) {
      moveIn(run, "dear", model);
      model.goOnAlwaysWith(run.client.shell("echo once more"));
      checkout.file("prices", "scripted  3  0.3  3.75  15\n");

      Exit exit =
          switch (run.client) {
            // An answer costs 0.0006, by the built-in prices and by the prices of this test.
            case CLAUDE -> checkout.ralph(words("--max-cost", "0.002", "-m", "claude-sonnet-4-5"));
            case CODEX -> checkout.ralph(words("--max-cost", "0.002", "--prices", "prices"));
            // 0.00014, by opencode's configuration
            case OPENCODE -> checkout.ralph(words("--max-cost", "0.0005"));
            default -> throw new IllegalStateException("no run of " + run.client);
          };

      assertEndedAfter(4, exit, model);
      JsonNode usage = checkout.json("status").get("usage");
      if (run != Run.CLAUDE) {
        // Claude Code may still report its exact cost at the end.
        assertThat(usage.path("estimated").asBoolean()).isEqualTo(run == Run.CODEX);
      }
      double each = run == Run.OPENCODE ? 0.00014 : 0.0006;
      assertThat(usage.get("cost_usd").asDouble())
          .isCloseTo(each * tokens(usage) / TOKENS, within(0.000001));
    }
  }

  /** Asserts that the counted usage agrees with the requests to the model. */
  private void assertEndedAfter(int answers, Exit exit, ScriptedModelServer model)
      throws Exception {
    assertThat(checkout.left()).as("processes left").isEmpty();
    assertThat(exit.code()).as(exit.toString()).isEqualTo(7);
    assertThat(exit.out()).contains("loop ended: budget");
    JsonNode iterations = checkout.json("iterations").get("iterations");
    assertThat(iterations).hasSize(1);
    int asked = model.turns().size();
    JsonNode usage = checkout.json("status").get("usage");
    assertThat(iterations.get(0).get("usage")).isEqualTo(usage);
    assertThat(asked)
        .as("requests, including the active request; counted: %s", usage)
        .isBetween(answers, answers + 1);
    assertThat(tokens(usage)).isBetween(answers * TOKENS - Messages.OUTPUT_TOKENS, asked * TOKENS);
  }

  private static int tokens(JsonNode usage) {
    return usage.path("input_tokens").asInt()
        + usage.path("cached_tokens").asInt()
        + usage.path("output_tokens").asInt();
  }

  @ParameterizedTest
  @Execution(ExecutionMode.CONCURRENT)
  @EnumSource(names = {"CLAUDE", "CODEX"})
  void timedOutIteration_countsUsage(Run run) throws Exception {
    try (ScriptedModelServer model = ScriptedModelServer.inOrder()) {
      moveIn(run, "late", model);
      model.goOnAlwaysWith(run.client.shell("sleep 0.5"));
      int seconds = 5;
      Exit exit;
      do {
        // The start may take long on a busy machine.
        seconds *= 2;
        exit = checkout.ralph(words("--timeout", seconds + "s", "-i", "1"));
      } while (model.turns().size() < 3 && seconds < 100);

      assertThat(checkout.left()).as("processes left").isEmpty();
      int asked = model.turns().size();
      assertThat(asked).as(exit.toString()).isGreaterThan(2);
      assertThat(exit.code()).as(exit.toString()).isEqualTo(5);
      assertThat(exit.out()).contains(" was stopped: the iteration timed out");
      JsonNode usage = checkout.json("status").get("usage");
      assertThat(tokens(usage))
          .as("%d requests: %s", asked, usage)
          .isBetween((asked - 1) * TOKENS, asked * TOKENS);
    }
  }

  // ---- interrupts and kills

  /**
   * Starts a build whose client runs a long shell command, with a background process that ignores
   * signals.
   */
  private Started buildThatGoesOn(ScriptedModelServer model) throws Exception {
    model.goOnWith(
        run.client.shell(
            "setsid sh -c 'trap \"\" TERM INT HUP; touch grandchild; sleep 300; sleep 300' &"
                + " sleep 300"));
    Started started = checkout.start(words("-i", "1"));
    Path grandchild = checkout.work().resolve("grandchild");
    Checkout.await(
        "the client's shell",
        Duration.ofMinutes(3),
        () -> Files.exists(grandchild) || !started.process().isAlive());
    assertThat(started.process().isAlive()).isTrue();
    if (run == Run.CODEX) {
      // Codex prints this line when the command runs. A Codex that is killed earlier ends by
      // itself.
      started.awaitOut("[shell]");
    }
    assertThat(checkout.left()).as("command, client, MCP server, shell").hasSizeGreaterThan(3);
    return started;
  }

  @ParameterizedTest
  @Execution(ExecutionMode.CONCURRENT)
  @EnumSource
  void signal_endsAllProcessesOfClient(Run run) throws Exception {
    try (ScriptedModelServer model = ScriptedModelServer.inOrder()) {
      moveIn(run, "ended", model);
      Started started = buildThatGoesOn(model);

      started.signal("TERM");

      Exit exit = started.exit();
      assertThat(checkout.left()).as("processes left").isEmpty();
      assertThat(exit.code()).as(exit.toString()).isEqualTo(143);
      assertThat(exit.out()).contains("ended: loop ended: interrupted");
      assertThat(exit.err()).startsWith("ralph: created the store ").hasLineCount(1);
    }
  }

  @ParameterizedTest
  @Execution(ExecutionMode.CONCURRENT)
  @EnumSource
  void nextRun_endsProcessesOfKilledRun(Run run) throws Exception {
    try (ScriptedModelServer model = ScriptedModelServer.inOrder()) {
      moveIn(run, "killed", model);
      Started started = buildThatGoesOn(model);
      started.signal("KILL");
      assertThat(started.exit().code()).isEqualTo(137);
      model.goOnWith(Reply.text("All is well."));

      Exit next = checkout.ralph(words("-i", "1"));

      assertThat(checkout.left()).as("processes left").isEmpty();
      assertThat(next.out())
          .startsWith("ended processes of an earlier run: ")
          .contains("iteration 1 was cut off in an earlier run", "All is well.");
      assertThat(next.code()).as(next.toString()).isEqualTo(3);
    }
  }

  // ---- doctor

  @ParameterizedTest
  @Execution(ExecutionMode.CONCURRENT)
  @EnumSource(names = "OPENCODE_ALONE", mode = EnumSource.Mode.EXCLUDE)
  void doctor_reportsVersionAndLogin(Run run) throws Exception {
    try (ScriptedModelServer model = ScriptedModelServer.inOrder()) {
      moveIn(run, "looked-at", model);

      List<JsonNode> findings = new ArrayList<>();
      for (JsonNode finding : checkout.json("doctor").get("findings")) {
        if (finding.get("about").asText().equals(run.client.command())) {
          findings.add(finding);
        }
      }

      assertThat(findings).hasSize(1);
      // Two clients read their key from a place that only they know, so the doctor cannot find it.
      String login = run == Run.CLAUDE ? "logged in" : "log in";
      assertThat(findings.get(0).get("text").asText())
          .matches("(?s)\\D*\\d+\\.\\d+\\.\\d+.*" + login + ".*");
      assertThat(findings.get(0).get("verdict").asText()).isIn("ok", "note");
      assertThat(checkout.left()).isEmpty();
    }
  }

  // ---- failing models

  @ParameterizedTest
  @Execution(ExecutionMode.CONCURRENT)
  @EnumSource(names = "OPENCODE_ALONE", mode = EnumSource.Mode.EXCLUDE)
  void rejectedModelKey_isReported(Run run) throws Exception {
    try (ScriptedModelServer model = ScriptedModelServer.inOrder()) {
      moveIn(run, "failed", model);
      model.goOnAlwaysWith(Reply.error(401, "that key is not known", Map.of()));

      Exit exit = checkout.ralph(words("--timeout", "240s"));

      assertThat(checkout.left()).as("processes left").isEmpty();
      assertThat(exit.code()).as(exit.toString()).isEqualTo(5);
      assertThat(exit.out()).contains("is not logged in to its model", "that key is not known");
      assertThat(checkout.json("iterations").at("/iterations/0/status").asText())
          .isEqualTo("failure");
    }
  }
}
