package dev.ralph.cli;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import dev.ralph.agents.ChatCompletions;
import dev.ralph.agents.OpencodeSandbox;
import dev.ralph.agents.ScriptedModelServer;
import dev.ralph.agents.ScriptedModelServer.Reply;
import dev.ralph.agents.ScriptedModelServer.Request;
import dev.ralph.cli.Checkout.Exit;
import dev.ralph.cli.Checkout.Started;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * {@code ralph build} with the real opencode. Only the model is a script: it knows nothing but its
 * prompt, and works by calling opencode's own shell tool with the commands that stand there.
 */
@Tag("clients")
@Timeout(300)
class OpencodeBuildIT {

  private static final String SPEC = "# A greeting\n\nWrite greeting.txt and farewell.txt.\n";
  private static final Pattern MESSAGE = Pattern.compile("(?m)^- \\[([0-9a-z]{8,})] [^ ]+Z: (.*)$");

  @TempDir static Path folder;
  private Checkout checkout;
  private Started build;
  private Throwable failure;

  /** What was seen running below the command, while the model was asked. */
  private final Set<ProcessHandle> descendants = ConcurrentHashMap.newKeySet();

  /** The commands that the model has opencode run, as they were called, by iteration. */
  private final Map<Integer, List<String>> calls = new ConcurrentHashMap<>();

  @ParameterizedTest
  @ValueSource(booleans = {true, false})
  void twoIterationsThroughTheClientsOwnTools(boolean withServer) throws Exception {
    String name = withServer ? "attached" : "alone";
    int port = OpencodeSandbox.freePort();
    try (ScriptedModelServer model = ScriptedModelServer.start(this::reply)) {
      OpencodeSandbox sandbox = OpencodeSandbox.in(folder.resolve("sandbox"), model.baseUrl());
      checkout = checkout(name, sandbox);
      checkout.ralph("task", "add", "--create", "Write greeting.txt");
      assertThat(checkout.ralph("message", "Greet the world").out()).startsWith("Message sent: ");

      List<String> words = new ArrayList<>(List.of("build", "--agent", "opencode"));
      words.addAll(List.of("-m", OpencodeSandbox.MODEL, "--gate", "test -f farewell.txt"));
      words.addAll(withServer ? List.of("--port", "" + port) : List.of("--no-server"));
      Exit exit;
      synchronized (this) {
        build = checkout.start(words.toArray(new String[0]));
      }
      exit = build.exit();

      List<String> left = checkout.left();
      checkout.clear();
      if (failure != null) {
        throw new AssertionError("the model's script failed; the command said:\n" + exit, failure);
      }
      String seen = exit + "\n" + model.log();
      assertThat(exit.code()).as(seen).isZero();
      assertThat(exit.err()).isEmpty();
      assertThat(left).as("processes left").isEmpty();
      assertThat(descendants).isNotEmpty().noneMatch(ProcessHandle::isAlive);
      assertThat(exit.out())
          .contains(name + " - Iteration #1...", name + " - Iteration #2...")
          .contains("gate passed: test -f farewell.txt", "loop ended: completed");
      if (withServer) {
        assertThat(exit.out()).contains("Web UI: http://127.0.0.1:" + port + "\n");
      } else {
        assertThat(exit.out()).doesNotContain("Web UI");
      }
      assertState();
      assertRequests(model.turns());
    }
    assertThat(checkout.shell("git log --format=%s --reverse").out())
        .isEqualTo("Say what to build\nDo t1\nDo t2\n");
    assertThat(checkout.shell("git status --porcelain").out()).isEmpty();
  }

  private static Checkout checkout(String name, OpencodeSandbox sandbox) throws Exception {
    Path program = OpencodeSandbox.program();
    assertThat(program).as("found on the PATH by its name").hasFileName("opencode");
    Checkout made = Checkout.in(folder.resolve(name)).with("RALPH_SESSION", name);
    sandbox.environment().forEach(made::with);
    made.with("PATH", program.getParent() + ":" + System.getenv("PATH")).warm();
    Files.createDirectory(made.work().resolve("specs"));
    made.file("specs/SPEC.md", SPEC);
    made.file(".gitignore", ".ralph/\n");
    Exit git =
        made.shell(
            "set -e; git init -q; git config user.name A; git config user.email a@localhost\n"
                + "git config commit.gpgsign false; git add -A; git commit -qm 'Say what to build'");
    assertThat(git.code()).as(git.err()).isZero();
    return made;
  }

  // ---- the model

  /** Called for one request at a time, by a thread of the model's. */
  private Reply reply(Request request) {
    try {
      synchronized (this) {
        build.process().toHandle().descendants().forEach(descendants::add);
      }
      return next(request);
    } catch (Throwable e) {
      failure = e;
      return Reply.text("The script failed.");
    }
  }

  private Reply next(Request request) throws Exception {
    String prompt = request.userText();
    List<String> results = request.toolResults();
    int iteration = Integer.parseInt(first("(?m)^- Iteration: (\\d+)$", prompt));
    String task = "t" + iteration;
    int step = results.size();
    switch (step) {
      case 0:
        return run(iteration, command(prompt, "inbox --name", "", ""));
      case 1:
        String text = iteration == 1 ? "Greet the world" : "Say farewell too";
        assertThat(results.get(0)).contains(text);
        return run(iteration, command(prompt, "inbox read", onlyMessage(prompt, text), ""));
      case 2:
        return iteration == 1
            ? run(iteration, command(prompt, "task add", "", "Write farewell.txt"))
            : run(iteration, command(prompt, "tasks --ready", "", ""));
      case 3:
        if (iteration == 1) {
          assertThat(checkout.ralph("message", "Say farewell too").code()).isZero();
        }
        return run(iteration, command(prompt, "task status", task, ""));
      case 4:
        String file = iteration == 1 ? "greeting.txt" : "farewell.txt";
        String commit =
            "echo hello >" + file + " && git add -A && git commit -qm 'Do " + task + "'";
        return run(iteration, commit + " && git log -1 --format=%s");
      case 5:
        return run(iteration, command(prompt, "task done", task, ""));
      case 6:
        return iteration == 1
            ? Reply.text("I have done t1.")
            : run(iteration, command(prompt, "complete", "", ""));
      default:
        return Reply.text("I have done t2.");
    }
  }

  private Reply run(int iteration, String command) {
    calls.computeIfAbsent(iteration, none -> new ArrayList<>()).add(command);
    return Reply.tool("bash", Map.of("command", command, "description", "works"));
  }

  /** Returns the prompt's command with these words in it, with an id and a text of one's own. */
  private static String command(String prompt, String words, String id, String text) {
    String line = first("(?m)^('/.*/ralph' " + Pattern.quote(words) + " .*)$", prompt);
    return line.replace(" ID ", " " + id + " ").replace("'TEXT'", "'" + text + "'");
  }

  /** Returns the id of the message, which must be the only one that is shown. */
  private static String onlyMessage(String prompt, String text) {
    Matcher message = MESSAGE.matcher(prompt);
    assertThat(message.find()).as(prompt).isTrue();
    assertThat(message.group(2)).isEqualTo(text);
    String id = message.group(1);
    assertThat(message.find()).as("another message in:\n" + prompt).isFalse();
    return id;
  }

  private static String first(String regex, String text) {
    Matcher matcher = Pattern.compile(regex).matcher(text);
    assertThat(matcher.find()).as(() -> regex + " in:\n" + text).isTrue();
    return matcher.group(1);
  }

  // ---- what came of it

  private void assertState() throws Exception {
    JsonNode tasks = checkout.json("tasks").get("tasks");
    assertThat(tasks).hasSize(2);
    assertThat(tasks).allMatch(task -> task.get("status").asText().equals("completed"));
    assertThat(tasks.get(1).get("content").asText()).isEqualTo("Write farewell.txt");
    for (int number = 1; number <= 2; number++) {
      assertThat(tasks.get(number - 1).get("iteration").asInt()).isEqualTo(number);
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
      // One request for each command, and one for the last words.
      long requests = calls.get(number).size() + 1L;
      all += requests;
      JsonNode usage = iteration.get("usage");
      assertThat(usage.get("input_tokens").asLong())
          .isEqualTo(requests * ChatCompletions.INPUT_TOKENS);
      assertThat(usage.get("output_tokens").asLong())
          .isEqualTo(requests * ChatCompletions.OUTPUT_TOKENS);
      assertThat(usage.get("cost_usd").asDouble()).isPositive();
      String transcript =
          checkout.json("iterations", "--transcript", "" + number).get("text").asText();
      assertThat(transcript).contains(calls.get(number)).endsWith("I have done t" + number + ".\n");
    }

    JsonNode status = checkout.json("status");
    assertThat(status.get("state").asText()).isEqualTo("completed");
    assertThat(status.get("unread").asInt()).isZero();
    assertThat(status.at("/tasks/completed").asInt()).isEqualTo(2);
    assertThat(status.at("/last_iteration/n").asInt()).isEqualTo(2);
    assertThat(status.at("/usage/input_tokens").asLong())
        .isEqualTo(all * ChatCompletions.INPUT_TOKENS);
  }

  /** The model's log shows the calls, and what the client's tool gave back for each. */
  private void assertRequests(List<Request> turns) {
    assertThat(calls.get(1)).hasSize(6);
    assertThat(calls.get(2)).hasSize(7);
    assertThat(turns).hasSize(calls.get(1).size() + calls.get(2).size() + 2);
    List<Request> last = List.of(turns.get(calls.get(1).size()), turns.get(turns.size() - 1));
    for (int iteration = 1; iteration <= 2; iteration++) {
      Request request = last.get(iteration - 1);
      List<String> called = new ArrayList<>();
      for (JsonNode message : request.body().get("messages")) {
        for (JsonNode call : message.path("tool_calls")) {
          String arguments = call.at("/function/arguments").asText();
          assertThat(call.at("/function/name").asText()).isEqualTo("bash");
          called.add(json(arguments).get("command").asText());
        }
      }
      assertThat(called).isEqualTo(calls.get(iteration));
    }
    List<String> first = last.get(0).toolResults();
    assertThat(first.get(0)).contains("Greet the world");
    assertThat(first.get(1)).endsWith("marked as read\n");
    assertThat(first.get(2)).startsWith("t2 ").contains("Write farewell.txt");
    assertThat(first.get(3)).startsWith("t1 ").contains("in_progress");
    assertThat(first.get(4)).startsWith("Do t1");
    assertThat(first.get(5)).startsWith("t1 ").contains("completed");
    List<String> second = last.get(1).toolResults();
    assertThat(second.get(2)).startsWith("t2 ").doesNotContain("t1 ");
    assertThat(second.get(6)).startsWith("Completion claimed");
  }

  private static JsonNode json(String text) {
    try {
      return new ObjectMapper().readTree(text);
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }
}
