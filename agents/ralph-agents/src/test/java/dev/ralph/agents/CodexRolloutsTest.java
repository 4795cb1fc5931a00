package dev.ralph.agents;

import static org.assertj.core.api.Assertions.assertThat;

import dev.ralph.RecordEntry;
import dev.ralph.Usage;
import java.math.BigDecimal;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.time.Duration;
import java.time.Instant;
import java.time.LocalDate;
import java.time.ZoneOffset;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Reads shortened session files of Codex 0.169.0. */
class CodexRolloutsTest {

  private static final String SESSION = "01a20d0b-4438-7ee3-a77a-cc7bdd038f7c";
  private static final String OTHER = "01a20d0b-44b5-79d0-8463-c5701f3c740b";

  @TempDir Path home;

  private final List<RecordEntry> entries = new ArrayList<>();
  private final RunRecord record = new RunRecord(text -> {}, entries::add);
  private final Instant later = Instant.now().plusSeconds(1);
  private Path today;

  @BeforeEach
  void makeFolder() throws Exception {
    String date = LocalDate.now(ZoneOffset.UTC).toString();
    today = home.resolve("sessions").resolve(date.replace('-', '/'));
    Files.createDirectories(today);
  }

  private CodexRollouts rollouts() {
    return new CodexRollouts(home, record, Prices.builtIn(), null);
  }

  private void write(String thread, String... lines) throws Exception {
    Path file = today.resolve("rollout-2026-11-24T10-12-51-" + thread + ".jsonl");
    for (String line : lines) {
      Files.writeString(file, line + "\n", StandardOpenOption.CREATE, StandardOpenOption.APPEND);
    }
  }

  private static String line(Instant time, String type, String payload) {
    return "{\"timestamp\":\"" + time + "\",\"type\":\"" + type + "\",\"payload\":" + payload + "}";
  }

  private String begins(String session) {
    return line(later, "session_meta", "{\"session_id\":\"" + session + "\"}");
  }

  private String model(String turn, String model) {
    return line(
        later, "turn_context", "{\"turn_id\":\"" + turn + "\",\"model\":\"" + model + "\"}");
  }

  private String used(String session, String turn, int input, int cached, int output) {
    return line(
        later,
        "token_usage_record",
        "{\"session_id\":\""
            + session
            + "\",\"turn_id\":\""
            + turn
            + "\",\"turn_token_usage\":"
            + tokens(input, cached, output)
            + "}");
  }

  private static String counted(Instant time, int input, int cached, int output) {
    return line(
        time,
        "event_msg",
        "{\"type\":\"token_count\",\"info\":{\"total_token_usage\":"
            + tokens(input, cached, output)
            + "}}");
  }

  private static String tokens(int input, int cached, int output) {
    return "{\"input_tokens\":"
        + input
        + ",\"cached_input_tokens\":"
        + cached
        + ",\"output_tokens\":"
        + output
        + "}";
  }

  @Test
  void usage_isReadWhileWritten() throws Exception {
    CodexRollouts rollouts = rollouts();
    rollouts.begin(SESSION);
    write(SESSION, begins(SESSION), used(SESSION, "t", 100, 10, 5));
    rollouts.readNewLines();
    assertThat(record.usage()).isEqualTo(Usage.of(90, 5, null).withCachedTokens(10));

    write(SESSION, counted(later, 100, 10, 5), used(SESSION, "t", 300, 30, 15));
    rollouts.readNewLines();
    assertThat(record.usage()).isEqualTo(Usage.of(270, 15, null).withCachedTokens(30));
    rollouts.sum(new Tokens(270, 30, 0, 15));
    assertThat(record.usage().totalTokens()).isEqualTo(315);
    rollouts.end();
    assertThat(used()).as("each request once").containsExactly("105 tokens", "210 tokens");
  }

  private List<String> used() {
    return entries.stream()
        .filter(entry -> entry.type() == RecordEntry.Type.USED)
        .map(entry -> Usage.of(entry.data().object("usage")).totalTokens() + " tokens")
        .toList();
  }

  @Test
  void usageOfSubAgents_isCounted() throws Exception {
    CodexRollouts rollouts = rollouts();
    rollouts.begin(SESSION);
    write(SESSION, begins(SESSION), used(SESSION, "t", 100, 0, 5));
    write(OTHER, begins(SESSION), used(SESSION, "u", 1_000, 0, 50));
    rollouts.findNewFiles();
    rollouts.sum(new Tokens(100, 0, 0, 5));

    assertThat(record.usage()).isEqualTo(Usage.of(1_100, 55, null));
  }

  @Test
  void modelWithPrice_hasCost() throws Exception {
    CodexRollouts rollouts = rollouts();
    rollouts.begin(SESSION);
    write(SESSION, model("t", "claude-opus-5"), used(SESSION, "t", 1_000_000, 0, 0));
    rollouts.readNewLines();

    assertThat(record.usage()).isEqualTo(Usage.of(1_000_000, 0, new BigDecimal("5")).asEstimate());

    write(SESSION, model("u", "gpt-0"), used(SESSION, "u", 1, 0, 0));
    rollouts.readNewLines();
    assertThat(record.usage().isPartial()).isTrue();
    assertThat(record.unpriced()).contains("gpt-0");
  }

  @Test
  void olderFormat_countsTokensOnly() throws Exception {
    CodexRollouts rollouts = rollouts();
    rollouts.begin(SESSION);
    write(SESSION, begins(SESSION), counted(later, 100, 10, 5), counted(later, 200, 20, 10));
    rollouts.readNewLines();

    assertThat(record.usage()).isEqualTo(Usage.of(180, 10, null).withCachedTokens(20));
    rollouts.end();
    assertThat(used()).containsExactly("210 tokens");
  }

  @Test
  void foreignSessions_areNotCounted() throws Exception {
    write(OTHER, begins(SESSION), used(SESSION, "of a file that was there before", 1, 0, 0));
    CodexRollouts rollouts = rollouts();
    rollouts.begin(SESSION);
    write(
        "01a20d0b-0000-0000-0000-c5701f3c740b",
        begins(OTHER),
        used(OTHER, "v", 9, 0, 9),
        counted(later, 9, 0, 9));
    rollouts.findNewFiles();
    assertThat(record.usage()).isEqualTo(Usage.NONE);
    assertThat(rollouts.isFound()).isFalse();
  }

  @Test
  void usageBeforeResume_isNotCounted() throws Exception {
    Instant before = Instant.now().minus(Duration.ofHours(1));
    write(SESSION, counted(before, 500, 0, 50), used(SESSION, "t", 7, 0, 1));
    CodexRollouts rollouts = rollouts();
    rollouts.begin(SESSION);
    rollouts.readNewLines();

    assertThat(record.usage()).isEqualTo(Usage.of(7, 1, null));
  }

  @ParameterizedTest
  @ValueSource(strings = {"", "*", "../../../../elsewhere", "01A20D0B-4438-7EE3-A77A-CC7BDD038F7C"})
  void invalidSessionId_matchesNoFile(String id) throws Exception {
    Files.writeString(home.resolve("elsewhere.jsonl"), used(id, "t", 1, 0, 0) + "\n");
    write("x", used("x", "t", 1, 0, 0));
    CodexRollouts rollouts = rollouts();
    rollouts.begin(id);
    rollouts.findNewFiles();

    assertThat(record.usage()).isEqualTo(Usage.NONE);
    assertThat(rollouts.isFound()).isFalse();
  }

  @Test
  void link_isNotFollowed() throws Exception {
    Path elsewhere =
        Files.writeString(home.resolve("elsewhere"), used(SESSION, "t", 1, 0, 0) + "\n");
    CodexRollouts rollouts = rollouts();
    rollouts.begin(SESSION);
    Files.createSymbolicLink(today.resolve("rollout-x-" + SESSION + ".jsonl"), elsewhere);
    rollouts.findNewFiles();

    assertThat(record.usage()).isEqualTo(Usage.NONE);
  }
}
