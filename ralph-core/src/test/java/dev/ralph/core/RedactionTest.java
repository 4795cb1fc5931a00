package dev.ralph.core;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.ralph.AgentResult;
import dev.ralph.Gate;
import dev.ralph.NewTask;
import dev.ralph.Note;
import dev.ralph.Ralph;
import dev.ralph.Redactor;
import dev.ralph.Session;
import dev.ralph.StatusChange;
import dev.ralph.Task;
import dev.ralph.TaskEdit;
import dev.ralph.Verdict;
import dev.ralph.log.Frame;
import dev.ralph.log.FrameCursor;
import dev.ralph.log.Query;
import dev.ralph.log.TopicFilter;
import dev.ralph.tool.AgentTools;
import dev.ralph.tool.Tools;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Texts of agents are stored without secrets. */
class RedactionTest {

  private static final String KEY = "sk-" + "proj-aB3dE5fG7hI9jK1lM3nO5pQ7";
  private static final String PEM = "-----BEGIN " + "PRIVATE KEY-----\nMIIEowIBAAK\nmore\n";

  private static String log(Ralph ralph) {
    StringBuilder all = new StringBuilder();
    try (FrameCursor cursor = ralph.log().read(Query.of(TopicFilter.all()))) {
      for (Frame frame = cursor.next(); frame != null; frame = cursor.next()) {
        all.append(frame.topic()).append(' ').append(frame.meta()).append(frame.content());
        all.append('\n');
      }
    }
    return all.toString();
  }

  private static void runAgent(Session session) {
    session.tasks().add("a person may write " + KEY);
    session.tasks().complete("t1");
    session
        .loop(
            turn -> {
              turn.output("my key is " + KEY);
              for (String line : (PEM + "-----END PRIVATE KEY-----").split("\n")) {
                turn.output(line);
              }
              turn.output("x".repeat(9_000));
              turn.output("and done");
              turn.session().notes().add("tip", "use " + KEY);
              turn.session().control().complete();
              return AgentResult.success().summary("I used " + KEY);
            })
        .gate(Gate.of("sh", "-c", "echo found " + KEY + "; exit 1"))
        .maxIterations(1)
        .run();
  }

  @Test
  void outputNotesAndSummaries_areRedacted() {
    try (Ralph ralph = Ralph.inMemory()) {
      Session session = ralph.session("auth");
      runAgent(session);
      String log = log(ralph);
      assertThat(log).doesNotContain("MIIEow").contains("my key is [redacted: API key]");
      assertThat(log).contains("[redacted: private key]").contains("and done");
      assertThat(log).contains("found [redacted: API key]");
      assertThat(session.notes().list().get(0).content()).isEqualTo("use [redacted: API key]");
      assertThat(session.iterations().last().orElseThrow().summary())
          .isEqualTo("I used [redacted: API key]");
      assertThat(session.tasks().get("t1").content()).contains(KEY);
      assertThat(log.replace("a person may write " + KEY, "").replace("echo found " + KEY, ""))
          .doesNotContain(KEY);
    }
  }

  @Test
  void messageOfHostGate_isRedacted() {
    List<String> prompts = new ArrayList<>();
    try (Ralph ralph = Ralph.inMemory()) {
      ralph
          .session("auth")
          .loop(
              turn -> {
                prompts.add(turn.prompt());
                turn.session().control().complete();
                return AgentResult.success();
              })
          .gate(Gate.named("keys", context -> Verdict.failed("rotate " + KEY)))
          .gate(
              Gate.named(
                  "vault",
                  context -> {
                    throw new IOException("refused with " + KEY);
                  }))
          .maxIterations(2)
          .run();

      assertThat(prompts.get(1))
          .contains("rotate [redacted: API key]", "refused with [redacted: API key]")
          .doesNotContain(KEY);
      assertThat(log(ralph)).doesNotContain(KEY);
    }
  }

  @Test
  void textWrittenByAgents_isRedacted() {
    try (Ralph ralph = Ralph.inMemory()) {
      Session session = ralph.session("auth");
      session.tasks().add("one");
      session
          .loop(
              turn -> {
                Session own = turn.session();
                own.tasks().add("add " + KEY);
                own.tasks().addAll(List.of(NewTask.of("add all " + KEY)));
                own.tasks().edit("t1", TaskEdit.of().content("edit " + KEY));
                own.tasks().status("t2", StatusChange.to(Task.Status.BLOCKED).because("as " + KEY));
                own.questions().ask("ask " + KEY, null, 0);
                try (AgentTools tools = turn.openTools()) {
                  for (String call :
                      List.of(
                          "task_add {'content':'tool KEY'}",
                          "task_add {'tasks':[{'content':'tools KEY'}]}",
                          "task_edit {'id':'t3','content':'tool edit KEY'}",
                          "task_status {'id':'t4','status':'blocked','reason':'tool KEY'}",
                          "note_add {'type':'tip','content':'tool note KEY'}",
                          "ask {'question':'tool ask KEY'}")) {
                    String[] parts = call.replace('\'', '"').replace("KEY", KEY).split(" ", 2);
                    AgentTools.Result result = tools.call(parts[0], parts[1]);
                    assertThat(result.isError()).as(call + ": " + result.text()).isFalse();
                  }
                }
                return AgentResult.success();
              })
          .maxIterations(1)
          .run();
      assertThat(session.iterations().last().orElseThrow().summary()).isNull();
      String log = log(ralph);
      assertThat(log)
          .contains("add [redacted: API key]", "add all [redacted", "edit [redacted")
          .contains("as [redacted", "ask [redacted", "tool [redacted", "tools [redacted")
          .contains("tool edit [redacted", "tool note [redacted", "tool ask [redacted")
          .doesNotContain(KEY);
      session.tasks().add("of a person: " + KEY);
      session.tasks().edit("t1", TaskEdit.of().content("by a person: " + KEY));
      session.inbox().send("for the agent: " + KEY);
      assertThat(log(ralph))
          .contains("of a person: " + KEY, "by a person: " + KEY, "agent: " + KEY);
    }
  }

  // ---- cuts: a cut key is not recognised, and a cut replacement has no meaning

  private static String at(int column, String text) {
    return "x ".repeat(column / 2) + text + " y".repeat(20_000);
  }

  @Test
  void note_isRedactedBeforeItsBeginningIsCut() {
    try (Ralph ralph = Ralph.inMemory()) {
      Session session = ralph.session("auth");
      for (int column : new int[] {230, 250, 1_470, 1_490, 16_370}) {
        Note note = session.notes().add("tip", at(column, KEY));
        for (int cut = column - 1; cut < column + 40; cut++) {
          assertThat(note.beginning(cut)).matches("(x )+x?(\\[redacted: API key]( y)* ?)?");
        }
        assertThat(note).asString().doesNotContainPattern("\\[r[^\\]]*$");
      }
      assertThat(log(ralph)).contains("[redacted: API key]").doesNotContain("sk-");
    }
  }

  @Test
  void summary_isRedactedBeforeTheCut() {
    try (Ralph ralph = Ralph.inMemory()) {
      Session session = ralph.session("auth");
      String said = at(7_990, KEY);
      session.loop(turn -> AgentResult.success().summary(said)).maxIterations(1).run();
      assertThat(session.iterations().last().orElseThrow().summary())
          .isEqualTo("x ".repeat(3_995) + "…");
    }
  }

  @Test
  void lastLinesOfCommand_areRedactedBeforeTheCut(@TempDir Path folder) throws IOException {
    String key = PEM + "MIIEowIBAAK\n".repeat(60) + "-----END PRIVATE KEY-----\n";
    Files.writeString(folder.resolve("key"), key + at(490, KEY) + "\n");
    Files.writeString(folder.resolve("lines"), ("z".repeat(97) + " " + KEY + "\n").repeat(90));
    try (Ralph ralph = Ralph.inMemory()) {
      Session session = ralph.session("auth");
      session
          .loop(
              turn -> {
                turn.session().control().complete();
                return AgentResult.success();
              })
          .directory(folder)
          .gate(Gate.of("sh", "-c", "cat key; exit 1"))
          .gate(Gate.of("sh", "-c", "cat lines; exit 1"))
          .maxIterations(1)
          .run();
      session
          .loop(CommandAgent.of("sh", "-c", "tail -n 1 key; exit 1"))
          .tools(Tools.mcp(""))
          .directory(folder)
          .maxIterations(1)
          .run();
      assertThat(session.iterations().last().orElseThrow().summary()).contains("x x …");
      String log = log(ralph);
      assertThat(log.substring(0, log.indexOf("ralph.auth.output")))
          .contains("[redacted: private key]\\nx x x", "x x …", "z [redacted: API key]\\nzz");
      assertThat(log).doesNotContain("sk-", "MIIE");
    }
  }

  @Test
  void redactor_canBeDisabledOrReplaced() {
    try (Ralph ralph = Ralph.builder().store("memory").redactor(Redactor.none()).open()) {
      runAgent(ralph.session("auth"));
      assertThat(log(ralph)).contains("my key is " + KEY, "MIIEow", "use " + KEY);
    }
    Redactor own = text -> text.replace("key", "[redacted: own]");
    try (Ralph ralph = Ralph.builder().store("memory").redactor(own).open()) {
      runAgent(ralph.session("auth"));
      assertThat(log(ralph)).contains("my [redacted: own] is ");
    }
  }

  @Test
  @SuppressWarnings("NullAway") // an unchecked program may return null
  void failingRedactor_keepsNoText() {
    Redactor broken =
        text -> {
          throw new IllegalStateException("broken");
        };
    Redactor forgetful = text -> null;
    for (Redactor redactor : List.of(broken, forgetful)) {
      try (Ralph ralph = Ralph.builder().store("memory").redactor(redactor).open()) {
        Session session = ralph.session("auth");
        assertThatThrownBy(() -> session.notes().add("tip", KEY))
            .isInstanceOf(RuntimeException.class);
        session
            .loop(
                turn -> {
                  turn.output(KEY);
                  return AgentResult.success().summary(KEY);
                })
            .maxIterations(1)
            .run();
        assertThat(log(ralph)).doesNotContain(KEY).contains("the redactor failed");
      }
    }
  }
}
