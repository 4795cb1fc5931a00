package dev.ralph.core.internal.loop;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.tuple;

import dev.ralph.Agent;
import dev.ralph.AgentResult;
import dev.ralph.Gate;
import dev.ralph.Iteration;
import dev.ralph.Ralph;
import dev.ralph.RecordEntry;
import dev.ralph.Session;
import dev.ralph.Turn;
import dev.ralph.Usage;
import dev.ralph.Verdict;
import dev.ralph.log.Appended;
import dev.ralph.log.Batch;
import dev.ralph.log.Frame;
import dev.ralph.log.FrameCursor;
import dev.ralph.log.NotFoundException;
import dev.ralph.log.Query;
import dev.ralph.log.TopicFilter;
import dev.ralph.spi.ForwardingStore;
import dev.ralph.spi.FrameStore;
import dev.ralph.spi.StoreConfig;
import dev.ralph.store.memory.MemoryStoreProvider;
import dev.ralph.tool.AgentTools;
import java.io.IOException;
import java.nio.file.Files;
import java.time.Clock;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** The record of an iteration: the entries of the loop and of the agent. */
@Timeout(120)
class LoopRecordTest extends LoopFixture {

  private static final String COMMIT = "0123456789abcdef0123456789abcdef01234567";
  private static final String KEY = "ghp_0123456789abcdefghij0123456789abcdef";

  private List<RecordEntry> record(int iteration) {
    return recordOf(session, iteration);
  }

  private static List<RecordEntry> recordOf(Session session, int iteration) {
    List<RecordEntry> entries = new ArrayList<>();
    session.iterations().record(iteration, entries::add);
    return entries;
  }

  private RecordEntry only(int iteration, RecordEntry.Type type) {
    List<RecordEntry> found =
        record(iteration).stream().filter(entry -> entry.type() == type).toList();
    assertThat(found).hasSize(1);
    return found.get(0);
  }

  private List<Frame> frames() {
    List<Frame> frames = new ArrayList<>();
    TopicFilter topic = TopicFilter.parse("ralph." + session.name() + ".record");
    try (FrameCursor cursor = ralph.log().read(Query.of(topic))) {
      for (Frame frame = cursor.next(); frame != null; frame = cursor.next()) {
        frames.add(frame);
      }
    }
    return frames;
  }

  private static Agent does(RecordEntry... entries) {
    return turn -> {
      List.of(entries).forEach(turn::record);
      return AgentResult.success();
    };
  }

  @Test
  void record_holdsAllEntriesWithTheirTimes() {
    RecordEntry[] told = {
      RecordEntry.client("claude", "2.1", "opus", List.of("--max-turns", "5"), "a-b-c"),
      RecordEntry.text("I look first."),
      RecordEntry.toolCall("1", "Bash", "{\"command\":\"ls\",\"deep\":[{\"a\":1.50}]}"),
      RecordEntry.permission("1", "Bash", "allowed"),
      RecordEntry.toolResult("1", true, "no such\nfile"),
      RecordEntry.retry("overloaded", 2, Duration.ofSeconds(3)),
      RecordEntry.used("opus", Usage.of(10, 2, null)),
    };

    loop(does(told)).prompt("do it").maxIterations(1).run();

    List<RecordEntry> read = record(1);
    assertThat(read)
        .extracting(RecordEntry::type)
        .startsWith(RecordEntry.Type.BEGIN)
        .endsWith(RecordEntry.Type.END);
    assertThat(read.subList(1, read.size() - 1))
        .extracting(RecordEntry::type, RecordEntry::data)
        .containsExactlyElementsOf(
            List.of(told).stream().map(entry -> tuple(entry.type(), entry.data())).toList());
    Iteration iteration = session.iterations().last().orElseThrow();
    assertThat(read)
        .extracting(entry -> Objects.requireNonNull(entry.time()))
        .allMatch(time -> !time.isBefore(iteration.started()))
        .isSorted();
  }

  @Test
  void record_beginsWithPromptFolderAndCommit() throws IOException {
    Files.createDirectories(folder.resolve(".git/refs/heads"));
    Files.writeString(folder.resolve(".git/HEAD"), "ref: refs/heads/main\n");
    Files.writeString(
        folder.resolve(".git/packed-refs"), "# pack\n" + COMMIT + " refs/heads/main\n");

    loop(turn -> {
          Files.writeString(folder.resolve(".git/HEAD"), "ref: refs/heads/work\n");
          Files.writeString(
              folder.resolve(".git/refs/heads/work"), COMMIT.replace('0', 'f') + "\n");
          return AgentResult.success();
        })
        .prompt("Do this, {{session}}")
        .maxIterations(1)
        .run();

    RecordEntry begin = only(1, RecordEntry.Type.BEGIN);
    assertThat(begin.string("prompt")).startsWith("Do this, " + session.name());
    assertThat(begin.string("folder")).isEqualTo(folder.toAbsolutePath().toString());
    assertThat(begin.string("branch")).isEqualTo("main");
    assertThat(begin.string("commit")).isEqualTo(COMMIT);
    assertThat(only(1, RecordEntry.Type.END).data().json())
        .isEqualTo("{\"branch\":\"work\",\"commit\":\"" + COMMIT.replace('0', 'f') + "\"}");
  }

  @Test
  void record_isRedactedBeforeLongTextsAreCut() {
    String large = "y".repeat(16 * 1024 - 10) + " " + KEY + " " + "z".repeat(20_000);

    loop(does(
            RecordEntry.toolCall(
                "1", "Write", "{\"to\":[\"" + KEY + "\"],\"content\":\"" + large + "\"}"),
            RecordEntry.toolResult("1", false, large)))
        .prompt("The key is " + KEY)
        .maxIterations(1)
        .run();

    assertThat(only(1, RecordEntry.Type.BEGIN).string("prompt"))
        .contains("The key is [redacted: GitHub token]");
    RecordEntry call = only(1, RecordEntry.Type.TOOL_CALL);
    assertThat(call.data().object("arguments"))
        .satisfies(
            arguments -> {
              assertThat(arguments.strings("to")).containsExactly("[redacted: GitHub token]");
              assertThat(arguments.string("content"))
                  .endsWith("y …")
                  .hasSizeLessThan(16 * 1024 + 2);
            });
    assertThat(only(1, RecordEntry.Type.TOOL_RESULT).string("text")).endsWith("y …");
    assertThat(frames()).noneMatch(frame -> frame.content().contains("ghp_"));
  }

  @Test
  void invalidJsonOrUnicode_isKeptWithReplacement() {
    loop(does(RecordEntry.toolCall("1", "a\ud800b", "[1]"), RecordEntry.text("x\udc00")))
        .maxIterations(1)
        .run();

    assertThat(only(1, RecordEntry.Type.TOOL_CALL).data().json())
        .isEqualTo("{\"id\":\"1\",\"tool\":\"a\ufffdb\",\"arguments\":{\"text\":\"[1]\"}}");
    assertThat(only(1, RecordEntry.Type.TEXT).string("text")).isEqualTo("x\ufffd");
  }

  @Test
  void tooLargeEntry_isReplacedByAGap() {
    StringBuilder many = new StringBuilder("{\"a\":0");
    for (int i = 0; i < 10; i++) {
      many.append(",\"m").append(i).append("\":\"").append("x".repeat(16_000)).append('"');
    }

    loop(does(RecordEntry.toolCall("1", "Bash", many.append('}').toString())))
        .maxIterations(1)
        .run();

    assertThat(only(1, RecordEntry.Type.GAP).string("reason")).startsWith("tool_call of 160");
    assertThat(record(1)).extracting(RecordEntry::type).doesNotContain(RecordEntry.Type.TOOL_CALL);
  }

  @Test
  void emptyRecord_costsASingleAppend() {
    List<Batch> batches = new ArrayList<>();
    FrameStore store =
        new ForwardingStore(new MemoryStoreProvider().open(StoreConfig.in(null))) {
          @Override
          public Appended append(Batch batch) {
            batches.add(batch);
            return super.append(batch);
          }
        };
    try (Ralph counted = Ralph.over(store, Clock.systemUTC())) {
      Session session = counted.session("s");
      Agent agent = turn -> AgentResult.success();
      session.loop(agent).directory(folder).maxIterations(1).record(false).run();
      int without = batches.size();
      session.loop(agent).directory(folder).maxIterations(1).run();

      assertThat(batches.size() - without).isEqualTo(without + 1);
      assertThat(recordOf(session, 1)).isEmpty();
      assertThat(recordOf(session, 2))
          .extracting(RecordEntry::type)
          .containsExactly(RecordEntry.Type.BEGIN, RecordEntry.Type.END);
    }
  }

  @Test
  void gateResults_followTheJudgedIteration() {
    loop(turn -> {
          turn.record(RecordEntry.gate("forged", true, null, ""));
          turn.session().control().complete();
          return AgentResult.success();
        })
        .gate(Gate.of("sh", "-c", "echo \"token " + KEY + "\"; exit 3"))
        .gate(Gate.named("silent", context -> null))
        .gate(Gate.named("fine", context -> Verdict.passed()))
        .finalGate(Gate.named("not run", context -> Verdict.passed()))
        .maxIterations(2)
        .run();

    for (int iteration : List.of(1, 2)) {
      List<RecordEntry> read = record(iteration);
      assertThat(read)
          .extracting(RecordEntry::type)
          .containsExactly(
              RecordEntry.Type.BEGIN,
              RecordEntry.Type.END,
              RecordEntry.Type.GATE,
              RecordEntry.Type.GATE,
              RecordEntry.Type.GATE);
      assertThat(read.get(2).data().integer("exit_code")).hasValue(3);
      assertThat(read.get(2).string("reason")).startsWith("Its last lines:\ntoken ");
      assertThat(read.get(2).data().json()).doesNotContain(KEY);
      assertThat(read.subList(3, 5))
          .extracting(entry -> entry.data().json())
          .containsExactly(
              "{\"name\":\"silent\",\"passed\":false,"
                  + "\"reason\":\"returned no verdict\\nThe gate's code returned null.\"}",
              "{\"name\":\"fine\",\"passed\":true}");
    }
  }

  @Test
  void agent_cannotForgeEntriesOrRecordLate() {
    List<Turn> turns = new ArrayList<>();
    RecordEntry begin = only(does(), RecordEntry.Type.BEGIN);

    loop(turn -> {
          turns.add(turn);
          turn.record(begin);
          return AgentResult.success();
        })
        .maxIterations(1)
        .run();
    turns.get(0).record(RecordEntry.text("late"));

    assertThat(record(2))
        .extracting(RecordEntry::type)
        .containsExactly(RecordEntry.Type.BEGIN, RecordEntry.Type.END);
  }

  private RecordEntry only(Agent agent, RecordEntry.Type type) {
    loop(agent).maxIterations(1).run();
    return only(1, type);
  }

  @Test
  void prompt_survivesErasureOfEarlierIteration() {
    String prompt = "p".repeat(70_000);
    loop(does(RecordEntry.text("one"))).prompt(prompt).maxIterations(1).run();
    int first = frames().size();
    loop(does(RecordEntry.text("two"))).prompt(prompt).maxIterations(1).run();

    ralph.log().erase(frames().stream().limit(first).map(Frame::id).toList());

    assertThat(record(1)).extracting(RecordEntry::type).containsOnly(RecordEntry.Type.GAP);
    assertThat(only(2, RecordEntry.Type.BEGIN).string("prompt")).startsWith(prompt);
    assertThat(only(2, RecordEntry.Type.TEXT).string("text")).isEqualTo("two");
  }

  @Test
  void erase_removesRecordAndKeepsTheIteration() {
    Agent agent =
        turn -> {
          turn.output("said");
          turn.record(RecordEntry.text("done"));
          return AgentResult.success().usage(Usage.of(1, 1, null));
        };
    loop(agent).maxIterations(2).run();
    List<Iteration> before = session.iterations().list();

    assertThat(session.iterations().erase(1)).isEqualTo(3);

    assertThat(session.iterations().list()).isEqualTo(before);
    assertThat(record(1)).extracting(RecordEntry::type).containsExactly(RecordEntry.Type.GAP);
    assertThat(session.iterations().transcript(1)).isEmpty();
    assertThat(only(2, RecordEntry.Type.TEXT).string("text")).isEqualTo("done");
    assertThat(session.iterations().erase(1)).isZero();

    Session past = session.at(Instant.now());
    assertThatThrownBy(() -> past.iterations().erase(2)).hasMessageContaining("past");
    assertThat(session.iterations().eraseRecords(Instant.now().minusSeconds(3_600))).isZero();
    assertThat(session.iterations().eraseRecords(Instant.now().plusSeconds(1))).isEqualTo(2);
    assertThat(record(2)).extracting(RecordEntry::type).containsExactly(RecordEntry.Type.GAP);
    assertThat(session.iterations().transcript(2)).isEqualTo("said\n");
  }

  @Test
  void missingIteration_hasNoRecord() {
    assertThatThrownBy(() -> record(1)).isInstanceOf(NotFoundException.class);
  }

  @Test
  void toolsOfATurn_areRecorded() {
    session.tasks().add("one");
    Agent agent =
        turn -> {
          for (String name : List.of("task_next", "no_such_tool")) {
            try (AgentTools tools = turn.openTools()) {
              tools.call(name, "{}");
            }
          }
          return AgentResult.success();
        };
    loop(agent).maxIterations(1).run();

    List<RecordEntry> entries =
        record(1).stream()
            .filter(
                entry ->
                    entry.type() == RecordEntry.Type.TOOL_CALL
                        || entry.type() == RecordEntry.Type.TOOL_RESULT)
            .toList();
    assertThat(entries)
        .extracting(entry -> entry.data().string("id"))
        .containsExactly("ralph-1", "ralph-1", "ralph-2", "ralph-2");
    assertThat(entries.get(0).data().string("tool")).isEqualTo("task_next");
    assertThat(entries.get(1).data().string("text")).contains("one");
    assertThat(entries.get(3).data().isTrue("failed")).isTrue();
  }
}
