package dev.ralph.cli.store;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import dev.ralph.AgentResult;
import dev.ralph.Gate;
import dev.ralph.Ralph;
import dev.ralph.Verdict;
import dev.ralph.cli.Terminal;
import dev.ralph.cli.Terminal.Result;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.stream.Stream;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** {@code ralph erase}, {@code delete}, {@code fork} and {@code diff}. */
class EraseCommandTest {

  private static final ObjectMapper JSON = new ObjectMapper();
  private static final String SECRET = "sesame-7Jq0";

  @TempDir Path folder;
  private Terminal terminal;

  @BeforeEach
  void beginASession() {
    terminal = new Terminal(folder).with("RALPH_SESSION", "auth");
    assertThat(terminal.call("task", "add", "--create", "kept").code()).isZero();
    done("task", "add", "log in with " + SECRET);
  }

  private String done(String... words) {
    Result result = terminal.call(words);
    assertThat(result.code()).as(result.err()).isZero();
    return result.out();
  }

  private String idOf(String text) throws IOException {
    String line = done("log", "--grep", text, "--json").lines().findFirst().orElseThrow();
    return JSON.readTree(line).get("id").asText();
  }

  private boolean isHeld() throws IOException {
    try (Stream<Path> files = Files.walk(folder.resolve(".ralph"))) {
      for (Path file : (Iterable<Path>) files.filter(Files::isRegularFile)::iterator) {
        if (Files.readString(file, StandardCharsets.ISO_8859_1).contains(SECRET)) {
          return true;
        }
      }
      return false;
    }
  }

  @Test
  void compaction_removesErasedFrames() throws IOException {
    String id = idOf(SECRET);
    done("task", "add", "after the secret");
    done("erase", id);

    assertThat(done("compact")).startsWith("Freed ").contains(" KiB");
    assertThat(JSON.readTree(done("compact", "--json")).get("bytes").asLong()).isZero();
    assertThat(done("compact")).isEqualTo("No space to free\n");

    assertThat(done("log", "--json")).contains("after the secret").doesNotContain("(erased)");
    assertThat(done("log", "--since", id)).contains("after the secret").doesNotContain("kept");
    assertThat(done("tasks")).contains("kept", "after the secret");
    assertThat(done("verify")).isNotEmpty();
  }

  @Test
  void compactionBefore_erasesRecordsAndTranscripts() throws IOException {
    String output = SECRET + " repeated in the output, which is not short. ".repeat(200);
    try (Ralph ralph = Ralph.open(folder.resolve(".ralph/store"))) {
      for (String session : new String[] {"auth", "other"}) {
        ralph
            .session(session)
            .loop(
                turn -> {
                  turn.output(output);
                  return AgentResult.success();
                })
            .prompt("The word is " + SECRET + " again")
            .gate(Gate.named("the gate", context -> Verdict.failed(SECRET)))
            .maxIterations(1)
            .run();
      }
    }
    done("erase", idOf("log in with " + SECRET));
    String tasks = done("tasks");
    assertThat(done("compact", "--before", "1h")).startsWith("Erased 0 frames permanently and");
    assertThat(done("compact", "--before", "2020-01-01", "--json")).contains("\"frames\":0");
    assertThat(done("log")).contains(SECRET);

    assertThat(done("compact", "--before", "2999-01-01"))
        .matches("Erased [4-9] frames permanently and freed [1-9][0-9]* KiB\n");

    assertThat(done("log")).doesNotContain(SECRET, "(erased)");
    assertThat(done("tasks")).isEqualTo(tasks);
    assertThat(done("iterations")).startsWith("#1 success");
    assertThat(done("verify")).isEqualTo("No damage\n");
    assertThat(terminal.call("compact", "--before", "soon").code()).isEqualTo(2);
  }

  @Test
  void absentStore_isRejected() {
    Result result = terminal.call("compact", "--store", "chronicle:" + folder.resolve("chronicle"));
    assertThat(result.code()).isNotZero();
  }

  @Test
  void prompts_areErasedByIterationOrAge() throws IOException {
    try (Ralph ralph = Ralph.open(folder.resolve(".ralph/store"))) {
      ralph
          .session("auth")
          .loop(turn -> AgentResult.success())
          .prompt("The word is " + SECRET + " again")
          .maxIterations(1)
          .run();
    }
    String task = idOf("log in with " + SECRET);
    done("erase", task);
    assertThat(isHeld()).as("still in the prompt").isTrue();

    assertThat(done("erase", "--iteration", "1")).startsWith("Erased 2 frames permanently;");

    assertThat(isHeld()).isFalse();
    assertThat(done("iterations")).startsWith("#1 success");
    assertThat(done("erase", "--records-older-than", "1h")).contains("Nothing to erase");
    assertThat(terminal.call("erase").code()).isEqualTo(2);
    assertThat(terminal.call("erase", task, "--iteration", "1").code()).isEqualTo(2);
  }

  @Test
  void frame_isErasedPermanently() throws IOException {
    String id = idOf(SECRET);
    assertThat(isHeld()).isTrue();
    assertThat(done("erase", id)).startsWith("Erased 1 frame permanently;");
    assertThat(isHeld()).isFalse();
    assertThat(done("tasks")).contains("kept").doesNotContain("log in");
    assertThat(done("log")).contains(id + " ralph.auth.task (erased)");
    assertThat(done("erase", id)).contains("Nothing to erase");
    assertThat(done("verify")).isEqualTo("No damage\n");

    done("export", "log.ndjson");
    assertThat(folder.resolve("log.ndjson")).content().doesNotContain(id);
    done("import", "log.ndjson", "--create", "--store", "copy");
    assertThat(done("tasks", "--store", "copy")).isEqualTo(done("tasks"));
  }

  @Test
  void olderBackup_restoresNoErasedFrame() throws IOException {
    done("export", "log.ndjson");
    done("erase", idOf(SECRET));
    assertThat(done("import", "log.ndjson")).contains("Imported 0 frames");
    assertThat(isHeld()).isFalse();
  }

  @Test
  void unknownFrame_isRefused() {
    Result result = terminal.call("erase", "0".repeat(25));
    assertThat(result.code()).isEqualTo(1);
    assertThat(result.err()).contains("nothing was erased");
    assertThat(terminal.call("erase").code()).isEqualTo(2);
  }

  @Test
  void export_omitsGivenFrames() throws IOException {
    String id = idOf(SECRET);
    done("export", "log.ndjson", "--without", id);
    assertThat(folder.resolve("log.ndjson")).content().contains("kept").doesNotContain(SECRET);
    done("import", "log.ndjson", "--create", "--store", "copy");
    assertThat(done("tasks", "--store", "copy")).contains("kept").doesNotContain(SECRET);
    assertThat(done("task", "add", "later", "--store", "copy")).as("t2 is in use").contains("t3");
    assertThat(terminal.call("export", "other", "--without", "nothing").code()).isEqualTo(1);
  }

  @Test
  void session_isForkedComparedAndDeleted() throws IOException {
    String then = idOf(SECRET);
    done("task", "done", "t1");
    assertThat(done("fork", "again", "--at", then)).contains("again starts with 2 tasks");
    assertThat(done("fork", "auth", "--to", "elsewhere")).contains("2 tasks");
    assertThat(done("tasks", "--store", "elsewhere")).contains(SECRET);
    assertThat(done("sessions")).contains("again", "auth");

    assertThat(done("diff", then))
        .contains("Tasks\n- t1 ", "\n+ t1 ")
        .doesNotContainPattern("\\bt2\\b");
    JsonNode diff = JSON.readTree(done("diff", then, "--json"));
    assertThat(diff.at("/tasks/0/change").asText()).isEqualTo("changed");
    assertThat(diff.at("/tasks/0/after/status").asText()).isEqualTo("completed");
    assertThat(done("diff", then, then)).isEqualTo("No changes\n");

    assertThat(done("delete", "--name", "again", "--yes")).startsWith("Deleted the session again");
    assertThat(done("delete", "--yes")).startsWith("Deleted the session auth");
    assertThat(done("sessions")).isEqualTo("No sessions yet\n");
    assertThat(isHeld()).isFalse();
    assertThat(terminal.call("tasks").code()).isEqualTo(1);
  }
}
