package dev.ralph.tx;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.tuple;

import dev.ralph.log.RalphException;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.FileTime;
import java.time.Clock;
import java.time.Instant;
import java.time.ZoneOffset;
import java.util.List;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Tests the results of folder views, and the number of files that they read. */
class TxViewTest {

  private static final Instant NOW = Instant.parse("2026-11-22T12:00:00Z");

  @TempDir Path folder;
  private Path messages;

  @BeforeEach
  void makeFolder() throws IOException {
    messages = Files.createDirectories(folder.resolve("msgs"));
  }

  private TxView view(Instant now) {
    return TxView.of(TxFolder.of(folder), Clock.fixed(now, ZoneOffset.UTC));
  }

  private void put(String name, String timestamp, String... fields) throws IOException {
    Files.writeString(
        messages.resolve(name),
        "---\n"
            + String.join("\n", fields)
            + (timestamp == null ? "" : "\ntimestamp: " + timestamp)
            + "\n---\n\nA body that no list has.\n");
  }

  private void task(String name, String timestamp) throws IOException {
    put(name, timestamp, "from: core/core", "to: brain/brain", "type: task", "status: start");
  }

  private List<String> newest(Instant now, TxFilter filter, int limit) {
    return view(now).newest(filter, limit).messages().stream().map(TxListed::name).toList();
  }

  private List<String> newest(TxFilter filter) {
    return newest(NOW, filter, 20);
  }

  // ---- the newest messages

  @Test
  void newestMessages_areFoundByName() throws IOException {
    for (int i = 0; i < 600; i++) {
      String minute = String.format("%02d", i / 60 + 1) + String.format("%02d", i % 60);
      task(
          "1122" + minute + "00-task-core--brain-t" + i + ".md",
          "2026-11-22T" + minute.substring(0, 2) + ":" + minute.substring(2) + ":00Z");
    }

    TxView.Newest newest = view(NOW).newest(TxFilter.ALL, 3);

    assertThat(newest.messages())
        .extracting(listed -> listed.message().id())
        .containsExactly("t597", "t598", "t599");
    assertThat(newest.leftOut()).isEqualTo(597);
    assertThat(newest.messages().get(0).message().body()).isEmpty();
    assertThat(view(NOW).newest(TxFilter.ALL, 600).messages()).hasSize(600);
    assertThat(view(NOW).newest(TxFilter.ALL, 600).leftOut()).isZero();
    assertThat(view(NOW).newest(TxFilter.ALL, 0).messages()).isEmpty();
  }

  @Test
  void decemberStamp_isOlderThanJanuary() throws IOException {
    task("0101000500-task-core--brain-new.md", "2026-01-01T00:05:00Z");
    task("1231235500-task-core--brain-old.md", "2025-12-31T23:55:00Z");
    task("1230120000-task-core>brain-oldest.md", null);

    assertThat(newest(Instant.parse("2026-01-01T00:30:00Z"), TxFilter.ALL, 2))
        .containsExactly(
            "1231235500-task-core--brain-old.md", "0101000500-task-core--brain-new.md");
    assertThat(view(Instant.parse("2026-01-01T00:30:00Z")).newest(TxFilter.ALL, 3).messages())
        .first()
        .extracting(TxListed::time)
        .isEqualTo(Instant.parse("2025-12-30T12:00:00Z"));
  }

  @Test
  void equalDateOfEarlierYear_isNotNew() throws IOException {
    task("1122110000-task-core--brain-ago.md", "2024-11-22T11:00:00Z");
    task("1122100000-task-core--brain-a.md", "2026-11-22T10:00:00Z");
    task("1120100000-task-core--brain-b.md", "2026-11-20T10:00:00Z");

    assertThat(newest(NOW, TxFilter.ALL, 2))
        .containsExactly("1120100000-task-core--brain-b.md", "1122100000-task-core--brain-a.md");
    assertThat(newest(TxFilter.ALL)).first().isEqualTo("1122110000-task-core--brain-ago.md");
  }

  @Test
  void stampsOfDifferentZones_keepOrder() throws IOException {
    task("1122200000-task-core--brain-tokyo.md", "2026-11-22T11:00:00Z");
    task("1122113000-task-core--brain-utc.md", "2026-11-22T11:30:00Z");

    assertThat(newest(NOW, TxFilter.ALL, 1)).containsExactly("1122113000-task-core--brain-utc.md");
  }

  @Test
  void nameWithoutStamp_hasTimeOfFile() throws IOException {
    put("notes.md", null, "to: brain/brain");
    Files.setLastModifiedTime(
        messages.resolve("notes.md"), FileTime.from(Instant.parse("2026-11-21T10:00:00Z")));
    put("1399990000-task-core--brain-x.md", null, "to: brain/brain");
    Files.setLastModifiedTime(
        messages.resolve("1399990000-task-core--brain-x.md"), FileTime.from(Instant.EPOCH));
    task("1122100000-task-core--brain-a.md", "2026-11-22T10:00:00Z");
    task("1120100000-task-core--brain-b.md", "2026-11-20T10:00:00Z");

    assertThat(newest(TxFilter.ALL))
        .containsExactly(
            "1399990000-task-core--brain-x.md",
            "1120100000-task-core--brain-b.md",
            "notes.md",
            "1122100000-task-core--brain-a.md");
  }

  @Test
  void leapDayStamp_isAccepted() throws IOException {
    task("0229120000-task-core--brain-a.md", null);

    assertThat(view(NOW).newest(TxFilter.ALL, 1).messages().get(0).time())
        .isEqualTo(Instant.parse("2026-03-01T12:00:00Z"));
  }

  @Test
  void unrelatedFile_isSkipped() throws IOException {
    Files.writeString(messages.resolve(".1122100000-task-a--b-c.md.swp"), "x");
    Files.writeString(messages.resolve("README.txt"), "x");

    assertThat(newest(TxFilter.ALL)).isEmpty();
    Files.delete(messages.resolve("README.txt"));
    Files.delete(messages.resolve(".1122100000-task-a--b-c.md.swp"));
    Files.delete(messages);
    assertThat(newest(TxFilter.ALL)).isEmpty();
    Files.writeString(messages, "a file");
    assertThat(newest(TxFilter.ALL)).isEmpty();
  }

  @Test
  void negativeLimit_isRejected() {
    assertThatThrownBy(() -> view(NOW).newest(TxFilter.ALL, -1))
        .isInstanceOf(RalphException.class)
        .hasMessageContaining("must not be negative: -1");
  }

  // ---- filters

  @Test
  void eachFilter_narrowsResult() throws IOException {
    put(
        "1122100000-task-core--coordinator-t1.md",
        "2026-11-22T10:00:00Z",
        "from: core/core",
        "to: review-a1/coordinator");
    put(
        "1122100100-task-complete-coordinator--core-d1.md",
        "2026-11-22T10:01:00Z",
        "to: core/core",
        "from: review-a1/coordinator");
    put("1122100200-ask-brain>core-q1.md", "2026-11-22T10:02:00Z", "from: brain/brain");
    put(
        "1122100300-update-core--brain-u1.md",
        "2026-11-22T10:03:00Z",
        "from: core/core",
        "to: review/brain");

    assertThat(ids(TxFilter.ALL.type(TxType.TASK))).containsExactly("t1");
    assertThat(ids(TxFilter.ALL.type(TxType.TASK_COMPLETE))).containsExactly("d1");
    assertThat(ids(TxFilter.ALL.agent("brain"))).containsExactly("q1", "u1");
    assertThat(ids(TxFilter.ALL.agent("brain/brain"))).containsExactly("q1");
    assertThat(ids(TxFilter.ALL.agent("review-a1/coordinator"))).containsExactly("t1", "d1");
    assertThat(ids(TxFilter.ALL.mesh("review"))).containsExactly("t1", "d1", "u1");
    assertThat(ids(TxFilter.ALL.mesh("review-a1"))).containsExactly("t1", "d1");
    assertThat(ids(TxFilter.ALL.since(Instant.parse("2026-11-22T10:02:00Z"))))
        .containsExactly("q1", "u1");
    assertThat(ids(TxFilter.ALL.before(Instant.parse("2026-11-22T10:02:00Z"))))
        .containsExactly("t1", "d1");
    assertThat(ids(TxFilter.ALL.agent("core").mesh("brain").type(TxType.ASK)))
        .containsExactly("q1");
  }

  private List<String> ids(TxFilter filter) {
    return view(NOW).newest(filter, 20).messages().stream()
        .map(listed -> listed.message().id())
        .toList();
  }

  @Test
  void frontMatter_overridesNameInFilter() throws IOException {
    put(
        "1122100000-task-core--brain-x.md",
        "2026-11-22T10:00:00Z",
        "type: ask",
        "from: core/core",
        "to: other/other");

    assertThat(ids(TxFilter.ALL.type(TxType.TASK))).isEmpty();
    assertThat(ids(TxFilter.ALL.agent("brain"))).isEmpty();
    assertThat(ids(TxFilter.ALL.agent("core"))).hasSize(1);
  }

  @Test
  void agentNamedLikeType_isNotTakenForType() throws IOException {
    put(
        "1122100000-task-complete-a--b-x.md",
        "2026-11-22T10:00:00Z",
        "type: task",
        "from: m/complete-a",
        "to: m/b",
        "msg-id: x");

    assertThat(ids(TxFilter.ALL.type(TxType.TASK))).containsExactly("x");
    assertThat(ids(TxFilter.ALL.agent("complete-a"))).containsExactly("x");
  }

  @Test
  void rareMessage_isFoundAmongMany() throws IOException {
    task("0101000000-prompt-core--brain-rare.md", "2026-01-01T00:00:00Z");
    Files.writeString(
        messages.resolve("0101000000-prompt-core--brain-rare.md"), "---\nstatus: start\n---\n");
    for (int i = 0; i < 700; i++) {
      task(String.format("1121%06d-task-core--brain-t%d.md", i % 60 + i / 60 * 100, i), null);
    }

    assertThat(newest(NOW, TxFilter.ALL.type(TxType.PROMPT), 2))
        .containsExactly("0101000000-prompt-core--brain-rare.md");
  }

  @Test
  void stampBeforeTimeLastYear_isOfLastYear() throws IOException {
    task("0601100000-task-core--brain-a.md", "2025-06-01T10:00:00Z");
    task("0601110000-task-core--brain-b.md", "2026-06-01T11:00:00Z");

    assertThat(newest(TxFilter.ALL.before(Instant.parse("2025-07-01T00:00:00Z"))))
        .containsExactly("0601100000-task-core--brain-a.md");
  }

  @ParameterizedTest
  @ValueSource(strings = {"2026-10-01T00:00:00Z", "2025-12-31T00:00:00Z", "2024-02-01T00:00:00Z"})
  void messageWithoutTimestamp_hasStampOfPresentYear(String before) throws IOException {
    task("1122100000-task-core--brain-november.md", null);
    task("1201100000-task-core--brain-december.md", null);
    List<TxListed> all = view(NOW).newest(TxFilter.ALL, 20).messages();
    assertThat(all)
        .extracting(TxListed::time)
        .containsExactly(
            Instant.parse("2025-12-01T10:00:00Z"), Instant.parse("2026-11-22T10:00:00Z"));

    Instant time = Instant.parse(before);
    List<TxListed> found = view(NOW).newest(TxFilter.ALL.before(time), 20).messages();
    assertThat(found)
        .extracting(TxListed::toString, TxListed::time)
        .isEqualTo(
            all.stream()
                .filter(listed -> listed.time().isBefore(time))
                .map(listed -> tuple(listed.toString(), listed.time()))
                .toList());
  }

  @ParameterizedTest
  @ValueSource(strings = {"", "a b", "../x", "a/b/c"})
  void invalidAgentOrMesh_isRejected(String name) {
    assertThatThrownBy(() -> TxFilter.ALL.agent(name)).isInstanceOf(RalphException.class);
    assertThatThrownBy(() -> TxFilter.ALL.mesh(name)).isInstanceOf(RalphException.class);
  }

  // ---- problems

  @Test
  void unreadableFile_isListedWithReason() throws IOException {
    Files.writeString(messages.resolve("1122100000-task-core--brain-x.md"), "no front matter");
    Files.createDirectory(messages.resolve("1122100100-task-core--brain-y.md"));
    put(
        "1122100200-task-core--brain-z.md",
        "2026-11-22T10:02:00Z",
        "to: brain/brain",
        "from: core/core",
        "type: task",
        "status: start",
        "requester: core/core",
        "msg-id: z",
        "headline: Fine");

    List<TxListed> all = view(NOW).newest(TxFilter.ALL.problemsOnly(), 20).messages();

    assertThat(all).hasSize(2);
    assertThat(all.get(0).file()).isNull();
    assertThat(all.get(0).problems())
        .containsExactly(
            "1122100000-task-core--brain-x.md:1: a message must begin with a line '---'");
    assertThat(all.get(0).time()).isEqualTo(Instant.parse("2026-11-22T10:00:00Z"));
    assertThat(all.get(1).problems()).hasSize(1);
    assertThat(view(NOW).newest(TxFilter.ALL, 1).messages())
        .as("files that are no messages do not count toward the limit")
        .extracting(TxListed::message)
        .extracting(TxMessage::id)
        .containsExactly("z");
    assertThat(newest(TxFilter.ALL)).hasSize(1);
    assertThat(newest(TxFilter.ALL.problemsOnly().type(TxType.ASK))).isEmpty();
  }

  @Test
  void refusalByRouting_isProblem() throws IOException {
    Path routing = Files.createDirectory(folder.resolve("routing"));
    Files.writeString(
        routing.resolve("tdd.json"),
        "{\"mesh\":\"tdd\",\"routing\":{\"red\":{\"complete\":{\"core\":\"done\"}}}}");
    put(
        "1122100000-task-red--blue-x.md",
        "2026-11-22T10:00:00Z",
        "from: tdd-1/red",
        "to: tdd-1/blue",
        "type: task",
        "status: complete",
        "requester: a/a",
        "headline: x",
        "msg-id: x");

    List<TxListed> refused =
        view(NOW)
            .routings(TxRoutings.read(routing))
            .newest(TxFilter.ALL.problemsOnly(), 9)
            .messages();

    assertThat(refused).hasSize(1);
    assertThat(refused.get(0).problems())
        .containsExactly(
            "1122100000-task-red--blue-x.md: Status \"complete\" cannot route to \"blue\". Valid"
                + " targets: core");
    assertThat(newest(TxFilter.ALL.problemsOnly())).isEmpty();
  }

  @Test
  void orphans_areFilesSetAside() throws IOException {
    task("1122100000-task-core--brain-a-orphan.md", "2026-11-22T10:00:00Z");
    task("1122100100-task-core>brain-b-orphan.md", "2026-11-22T10:01:00Z");
    task("1122100200-task-core--brain-c.md", "2026-11-22T10:02:00Z");
    put("1122100300-task-core--brain-d-orphan.md", "2026-11-22T10:03:00Z", "msg-id: d-orphan");

    assertThat(view(NOW).orphans())
        .extracting(listed -> listed.message().id())
        .containsExactly("a", "b");
  }

  // ---- threads

  private void message(String id, String inReplyTo, int minute) throws IOException {
    String time = String.format("%02d%02d", minute / 60, minute % 60);
    put(
        "1122" + time + "00-task-core--brain-" + id + ".md",
        "2026-11-22T" + time.substring(0, 2) + ":" + time.substring(2) + ":00Z",
        "msg-id: " + id,
        inReplyTo == null ? "status: start" : "in-reply-to: " + inReplyTo);
  }

  private String tree(String id) {
    StringBuilder tree = new StringBuilder();
    for (TxView.ThreadEntry entry : view(NOW).thread(id)) {
      tree.append(" ".repeat(entry.depth()))
          .append(entry.id())
          .append(entry.isMissing() ? "?" : entry.repeated() ? "!" : "")
          .append(entry.files().size() > 1 ? "*" + entry.files().size() : "")
          .append('\n');
    }
    return tree.toString();
  }

  @ParameterizedTest
  @CsvSource({"root", "b", "c"})
  void thread_isIdenticalFromEveryMessage(String id) throws IOException {
    message("root", null, 1);
    message("b", "root", 3);
    message("a", "root", 2);
    message("c", "a", 4);
    message("other", null, 5);

    assertThat(tree(id)).isEqualTo("root\n a\n  c\n b\n");
  }

  @Test
  void missingMessage_hasPlaceInThread() throws IOException {
    message("a", "gone", 1);
    message("b", "gone", 2);

    assertThat(tree("a")).isEqualTo("gone?\n a\n b\n");
    assertThat(tree("gone")).isEqualTo("gone?\n a\n b\n");
  }

  @Test
  void cycle_isListedOnce() throws IOException {
    message("a", "c", 1);
    message("b", "a", 2);
    message("c", "b", 3);
    message("d", "b", 4);
    message("self", "self", 5);

    assertThat(tree("d")).isEqualTo("a\n b\n  c\n   a!\n  d\n");
    assertThat(tree("self")).isEqualTo("self\n self!\n");
  }

  @Test
  void filesWithEqualId_areSingleMessage() throws IOException {
    message("a", null, 1);
    message("b", "a", 2);
    Files.copy(
        messages.resolve("1122000100-task-core--brain-a.md"),
        messages.resolve("1122000100-task-core--brain-a-orphan.md"));
    put("1122005900-task-core--brain-b.md", "2026-11-22T00:59:00Z", "msg-id: b", "in-reply-to: x");

    assertThat(tree("b")).isEqualTo("a*2\n b*2\n");
  }

  @Test
  void longConversation_isListed() throws IOException {
    message("m0", null, 0);
    for (int i = 1; i < 1_000; i++) {
      message("m" + i, "m" + (i - 1), i);
    }

    List<TxView.ThreadEntry> thread = view(NOW).thread("m500");

    assertThat(thread).hasSize(1_000);
    assertThat(thread.get(999).id()).isEqualTo("m999");
    assertThat(thread.get(999).depth()).isEqualTo(999);
  }

  @Test
  void unknownMessage_isRejected() throws IOException {
    message("a", null, 1);

    assertThatThrownBy(() -> view(NOW).thread("b"))
        .isInstanceOf(RalphException.class)
        .hasMessageContaining("no message 'b' in " + messages);
  }
}
