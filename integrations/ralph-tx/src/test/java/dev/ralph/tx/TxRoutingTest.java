package dev.ralph.tx;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.ralph.log.RalphException;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class TxRoutingTest {

  @TempDir Path folder;

  @BeforeEach
  void writeTheExample() throws Exception {
    Files.write(folder.resolve("tdd-cycle.json"), SpecificationTest.bytes("tdd-cycle.json"));
  }

  private static TxMessage message(String from, String to, String status) {
    return TxMessage.of(TxType.TASK).from(from).to(to).status(status).id("m1");
  }

  private String refusal(String from, String to, String status) {
    return TxRoutings.read(folder).refusal(message(from, to, status), TxIterations.NONE);
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = ';',
      nullValues = "-",
      value = {
        "tdd-cycle/red-phase;tdd-cycle/green-phase;complete;-",
        "tdd-cycle-a1b2c3/red-phase;tdd-cycle-a1b2c3/green-phase;complete;-",
        "tdd-cycle-sedb/red-phase;core;blocked;-",
        "tdd-cycle-x-y-z/green-phase;red-phase;failed;-",
        "tdd-cycle-a1/red-phase;tdd-cycle-a1/green-phase;done;Unknown status \"done\" for agent"
            + " red-phase. Valid statuses: complete, blocked",
        "tdd-cycle-a1/green-phase;core/core;blocked;Unknown status \"blocked\" for agent"
            + " green-phase. Valid statuses: complete, failed",
        "tdd-cycle-a1/red-phase;tdd-cycle-a1/refactor-phase;complete;Status \"complete\" cannot"
            + " route to \"refactor-phase\". Valid targets: green-phase",
        // An agent without rules may send any status to any agent.
        "tdd-cycle-a1/refactor-phase;core/core;whatever;-",
        "core/core;tdd-cycle-a1/red-phase;start;-",
        "tdd/red-phase;core/core;whatever;-",
        "tdd-cycles/red-phase;core/core;whatever;-",
        "system;tdd-cycle-a1/red-phase;start;-",
      })
  void message_isRoutedByMeshRules(String from, String to, String status, String refusal) {
    assertThat(refusal(from, to, status)).isEqualTo(refusal);
  }

  @Test
  void longestMatchingMesh_isUsed() throws Exception {
    Files.writeString(
        folder.resolve("tdd.json"), "{\"routing\": {\"red-phase\": {\"ok\": {\"core\": \"\"}}}}");

    assertThat(refusal("tdd-cycle-a1/red-phase", "core", "blocked")).isNull();
    assertThat(refusal("tdd-a1/red-phase", "core", "blocked")).startsWith("Unknown status");
  }

  @Test
  void meshOrFolderPrefix_isStripped() throws Exception {
    Files.writeString(
        folder.resolve("product.json"),
        """
        {"mesh": "product", "agents": ["team/architect"],
         "routing": {"team/architect": {"ask": {"brain/brain": "advice", "core": "decisions"}}}}
        """);

    assertThat(refusal("product-1/architect", "brain/brain", "ask")).isNull();
    assertThat(refusal("product-1/architect", "editor", "ask"))
        .isEqualTo("Status \"ask\" cannot route to \"editor\". Valid targets: brain/brain, core");
  }

  @Test
  void messageWithoutStatus_passes() {
    TxMessage message = TxMessage.EMPTY.from("tdd-cycle/red-phase").to("core");

    assertThat(TxRoutings.read(folder).refusal(message, TxIterations.NONE)).isNull();
  }

  @Test
  void fourthMessageOnRoute_isRefused() {
    TxRoutings routings = TxRoutings.read(folder);
    TxIterations before = TxIterations.NONE;
    for (int i = 1; i <= 3; i++) {
      TxMessage failed =
          message("tdd-cycle-a1/green-phase", "tdd-cycle-a1/red-phase", "failed").id("m" + i);
      assertThat(routings.refusal(failed, before)).as("failure %d", i).isNull();
      before = before.with(failed).with(failed);
      assertThat(routings.refusal(failed, before)).as("%d, delivered again", i).isNull();
    }
    TxMessage fourth =
        message("tdd-cycle-a1/green-phase", "tdd-cycle-a1/red-phase", "failed").id("m4");

    assertThat(routings.refusal(fourth, before))
        .isEqualTo(
            "Max routing iterations exceeded for tdd-cycle-a1/green-phase →"
                + " tdd-cycle-a1/red-phase (status: failed). Current: 3, Limit: 3");
    assertThat(routings.refusal(fourth, TxIterations.NONE)).as("another thread").isNull();
    assertThat(routings.refusal(fourth.from("tdd-cycle-b2/green-phase"), before))
        .as("another instance")
        .isNull();
    assertThat(
            routings.refusal(fourth.status("complete").to("tdd-cycle-a1/refactor-phase"), before))
        .as("another status")
        .isNull();
  }

  @Test
  void agentWithoutRules_hasNoLimit() {
    TxIterations before = TxIterations.NONE;
    for (int i = 0; i < 5; i++) {
      TxMessage ping = message("core", "tdd-cycle/red-phase", "start").id("m" + i);
      assertThat(TxRoutings.read(folder).refusal(ping, before)).isNull();
      before = before.with(ping);
    }
  }

  @Test
  void brokenFile_affectsOnlyOwnMesh() throws Exception {
    Files.writeString(
        folder.resolve("broken.json"), "{\n  \"mesh\": \"broken\",\n  \"routing\": {]\n}\n");
    Files.createDirectory(folder.resolve("folder.json"));

    TxRoutings routings = TxRoutings.read(folder);

    assertThat(routings.broken().get("broken"))
        .startsWith("broken.json:3:15: invalid JSON: Unexpected close marker ']'")
        .contains("line: 3, column: 14")
        .doesNotContain("\n", "Source", "REDACTED");
    assertThat(routings.broken().get("folder")).isEqualTo("folder.json: not a regular file");
    assertThat(refusal("broken-1/agent", "core", "complete"))
        .startsWith("The routing of mesh broken is unusable: broken.json:3:15: invalid JSON");
    assertThat(refusal("tdd-cycle/red-phase", "core", "blocked")).isNull();
    assertThat(refusal("tdd-cycle/red-phase", "core", "x")).startsWith("Unknown status");
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      quoteCharacter = '~',
      value = {
        "[]|x.json:1:1: the file must be an object",
        "{} {}|x.json:1:4: unexpected text after the end of the object",
        "{'routing': [1]}|x.json:1:13: routing must be an object",
        "{'routing': {'a': 'b'}}|x.json:1:19: the value of agent a must be an object",
        "{'routing': {'a': {'ok': 'b'}}}|x.json:1:26: the value of a.ok must be an object",
        "{'routing': {'a': {'': {}}}}|x.json:1:20: a name in agent a must not be blank",
        "{'routing': {'a\\nb': {}}}|x.json:1:14: a name in routing contains an invisible character",
        "{'routing': |x.json:1:1",
        "~~|x.json:1: the file must be an object",
      })
  void invalidFile_isRejectedWithPlace(String json, String message) {
    assertThatThrownBy(() -> TxRouting.read("x.json", json.replace('\'', '"').getBytes(UTF_8)))
        .isInstanceOf(RalphException.class)
        .hasMessageStartingWith(message)
        .extracting("code")
        .isEqualTo(RalphException.Code.INVALID);
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      nullValues = "-",
      quoteCharacter = '~',
      value = {
        "{}|-",
        "{'routing': null}|-",
        "{'routing': {'a': {'ok': {'core': ''}}}}|-",
        "{'routing': {'a': {'ok': {'b': ''}}, 'b': {'ok': {'a': ''}, 'out': {'core': ''}}}}|-",
        "{'routing': {'a': {'ok': {'b': ''}}, 'b': {'ok': {'a': ''}}}}|x.json: the routing has"
            + " no exit for a, b: add a status that leads to an agent without rules, such as core",
        "{'routing': {'a': {'ok': {'m/a': ''}}, 'c': {'ok': {'core': ''}}}}|x.json: the routing"
            + " has no exit for a: add a status that leads to an agent without rules, such as core",
        "{'mesh': 'y'}|x.json:1:10: the member 'mesh' is 'y', but the file name is used: 'x'",
        "{'routing': {'a': {'ok': {'core': ''}, 'ok': {'b': ''}}}}|x.json:1:40: 'ok' appears"
            + " twice in agent a; the last value is used",
        "{'routing': {'x/a': {'ok': {'core': ''}}, 'a': {'ok': {'core': ''}}}}|x.json:1:43: 'a'"
            + " appears twice in routing; the last value is used",
        "{'routing': {'a': {'ok': {'core': ''}, 'lost': {}}}}|x.json:1:49: a.lost leads to no"
            + " agent",
      })
  void suspiciousRouting_isWarnedAbout(String json, String warning) {
    TxRouting routing = TxRouting.read("x.json", json.replace('\'', '"').getBytes(UTF_8));

    assertThat(routing.warnings().stream().map(TxProblem::toString).toList())
        .isEqualTo(warning == null ? java.util.List.of() : java.util.List.of(warning));
  }

  @Test
  void nestingAndLength_areLimited() {
    byte[] deep = ("{\"x\": " + "[".repeat(100_000)).getBytes(UTF_8);
    byte[] huge = new byte[TxRouting.LONGEST_FILE + 1];

    assertThatThrownBy(() -> TxRouting.read("x.json", deep))
        .hasMessageStartingWith("x.json:1:1007: invalid JSON: Document nesting depth (1001)")
        .isInstanceOf(RalphException.class);
    assertThatThrownBy(() -> TxRouting.read("x.json", huge))
        .hasMessage("x.json: the file has more than 1 MiB");
  }

  @Test
  void missingFolder_letsEverythingPass() {
    TxRoutings routings = TxRoutings.read(folder.resolve("missing"));

    assertThat(routings.refusal(message("a/b", "c/d", "e"), TxIterations.NONE)).isNull();
    assertThat(routings.broken()).isEmpty();
  }
}
