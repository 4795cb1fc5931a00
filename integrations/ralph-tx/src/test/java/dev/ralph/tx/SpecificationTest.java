package dev.ralph.tx;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.io.InputStream;
import java.time.Instant;
import java.time.ZoneOffset;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Tests the unchanged message examples of TX's documentation. */
class SpecificationTest {

  private static TxFile read(String example, String name) {
    return new TxReader(ZoneOffset.UTC).read(name, bytes(example + ".md"));
  }

  static byte[] bytes(String example) {
    try (InputStream in = SpecificationTest.class.getResourceAsStream(example)) {
      return in.readAllBytes();
    } catch (IOException e) {
      throw new AssertionError(e);
    }
  }

  private static List<String> warnings(TxFile file) {
    return file.problems().stream().map(TxProblem::text).toList();
  }

  @ParameterizedTest
  @CsvSource(
      nullValues = "-",
      value = {
        "ask, ASK, start, core/core, brain/brain, core/core, ask-brain-001, -,"
            + " 2025-10-30T10:00:00Z",
        "ask-response, ASK_RESPONSE, complete, brain/brain, core/core, core/core,"
            + " response-ask-brain-001, ask-brain-001, 2025-10-30T10:05:00Z",
        "task, TASK, start, core/core, code-review/coordinator, core/core, task-review-001, -,"
            + " 2025-10-30T10:00:00Z",
        "task-complete, TASK_COMPLETE, complete, code-review/coordinator, core/core, core/core,"
            + " complete-review-001, task-review-001, 2025-10-30T12:00:00Z",
        "update, UPDATE, complete, brain/brain, core/core, brain/brain, update-spec-graph-001, -,"
            + " 2025-10-30T11:00:00Z",
      })
  void wholeExample_isReadWithoutWarning(
      String example,
      TxType type,
      String status,
      String from,
      String to,
      String requester,
      String id,
      String inReplyTo,
      Instant timestamp) {
    TxAddress sender = TxAddress.parse(from);
    TxAddress recipient = TxAddress.parse(to);
    String name =
        "1030100000-" + type.word() + "-" + sender.agent() + "--" + recipient.agent() + "-" + id;

    TxFile file = read(example, name + ".md");

    assertThat(file.warnings()).isEmpty();
    TxMessage message = file.message();
    assertThat(message.type()).isEqualTo(type);
    assertThat(message.status()).isEqualTo(status);
    assertThat(message.from()).isEqualTo(sender);
    assertThat(message.to()).isEqualTo(recipient);
    assertThat(message.requester()).hasToString(requester);
    assertThat(message.id()).isEqualTo(id);
    assertThat(message.inReplyTo()).isEqualTo(inReplyTo);
    assertThat(message.headline()).isNotBlank();
    assertThat(message.timestamp()).isEqualTo(timestamp);
    assertThat(message.body()).startsWith("# ").doesNotEndWith("\n");
  }

  @ParameterizedTest
  @CsvSource({
    "example-1-ask, ask, core--brain-ask-001, ASK",
    "example-1-answer, ask-response, brain--core-response-001, ASK_RESPONSE",
    "example-2-task, task, core--coordinator-task-001, TASK",
    "example-2-done, task-complete, coordinator--core-complete-001, TASK_COMPLETE",
    "example-3-update, update, brain--core-update-001, UPDATE",
  })
  void exampleWithMissingFields_isReadWithWarning(
      String example, String word, String rest, TxType type) {
    TxFile file = read(example, "1030100000-" + word + "-" + rest + ".md");

    assertThat(warnings(file)).containsExactly("missing fields: requester, headline, timestamp");
    assertThat(file.message().type()).isEqualTo(type);
    assertThat(file.message().body()).isNotBlank();
  }

  @Test
  void prompt_comesFromSystem() {
    TxFile file = read("prompt", "1103080000-prompt-system--interviewer-prompt-1730628000.md");

    assertThat(file.message().from()).isEqualTo(TxAddress.SYSTEM).hasToString("system");
    assertThat(file.message().to()).hasToString("research-abc123/interviewer");
    assertThat(warnings(file)).containsExactly("from names no mesh: system is read as system");
  }

  @Test
  void template_isReadWithWarning() {
    TxFile file = read("template", "1030100000-ask-a--b-c.md");

    assertThat(file.warnings())
        .first()
        .hasToString(
            "1030100000-ask-a--b-c.md:2:18: invalid YAML (expected <block end>, but found"
                + " '<scalar>'); field texts were read literally: put texts with ': ' in double"
                + " quotes");
    assertThat(file.message().to()).isNull();
    assertThat(file.message().type()).isNull();
    assertThat(file.field("type")).startsWith("ask | ask-response | task");
  }

  @Test
  void fragment_isCompletedFromFileName() {
    TxFile file = read("cross-mesh", "1102083000-task-core--brain-abc123.md");

    assertThat(file.message().type()).isEqualTo(TxType.TASK);
    assertThat(file.message().id()).isEqualTo("abc123");
    assertThat(warnings(file))
        .containsExactly(
            "missing fields: status, requester, headline, timestamp",
            "read from the file name: type, msg-id");
  }

  @Test
  void deadline_isRead() {
    TxFile file = read("expiration", "1102083000-task-core--brain-abc123.md");

    assertThat(file.message().deadline()).isEqualTo("2025-10-31T00:00:00Z");
    assertThat(file.message().to()).hasToString("brain/brain");
    assertThat(file.message().from()).hasToString("core/core");
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "1102083000-task-core--brain-abc123.md",
        "1102083000-task-core>brain-abc123.md",
        "1102084512-ask-brain--core-req1.md",
        "1102084512-ask-brain>core-req1.md",
        "1102084512-task-complete-brain>core-abc123.md",
        "1102091530-task-complete-brain--core-abc123.md",
        "1102091530-task-complete-brain>core-abc123.md",
      })
  void everyExampleName_isUnderstood(String name) {
    TxFile file = new TxReader(ZoneOffset.UTC).read(name, "---\n---\n".getBytes(UTF_8));

    TxMessage message = file.message();
    String separator = name.contains(">") ? ">" : "--";
    assertThat(
            name.substring(0, 11)
                + message.type().word()
                + "-"
                + message.from().agent()
                + separator
                + message.to().agent()
                + "-"
                + message.id()
                + ".md")
        .isEqualTo(name);
    assertThat(
            warnings(file).contains("the file name has the older form with '>' between the agents"))
        .isEqualTo(name.contains(">"));
  }

  @Test
  void routingExample_isReadWithoutWarning() {
    TxRouting routing = TxRouting.read("tdd-cycle.json", bytes("tdd-cycle.json"));

    assertThat(routing.warnings()).isEmpty();
    assertThat(routing.hasRules("red-phase")).isTrue();
    assertThat(routing.hasRules("green-phase")).isTrue();
    assertThat(routing.hasRules("refactor-phase")).isFalse();
  }
}
