package dev.ralph.tx;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.ralph.domain.Priority;
import dev.ralph.log.RalphException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Clock;
import java.time.Instant;
import java.time.ZoneId;
import java.time.ZoneOffset;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Callable;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.ValueSource;

class TxWriterTest {

  /** The clock's time zone already has another date. */
  private static final Clock CLOCK =
      Clock.fixed(Instant.parse("2025-12-31T23:59:58.123Z"), ZoneId.of("Asia/Tokyo"));

  private static final TxMessage TASK =
      TxMessage.of(TxType.TASK)
          .from("core/core")
          .to("code-review-a1b2c3/coordinator")
          .id("review-1")
          .headline("Review the login")
          .body("Please look.");

  @TempDir Path folder;

  private TxWriter writer() {
    return new TxWriter(folder, CLOCK);
  }

  private static TxFile read(Path file) {
    return new TxReader(ZoneOffset.UTC).read(file);
  }

  @Test
  void concurrentPublish_succeedsForBoth() throws Exception {
    ExecutorService threads = Executors.newFixedThreadPool(2);
    try {
      for (int i = 0; i < 200; i++) {
        String name = writer().setAside(TASK.id("review-" + i));
        CountDownLatch together = new CountDownLatch(2);
        Callable<Void> publish =
            () -> {
              together.countDown();
              together.await();
              writer().publish(name);
              return null;
            };
        for (Future<Void> done : threads.invokeAll(List.of(publish, publish))) {
          done.get();
        }
        assertThat(folder.resolve(name)).exists();
      }
    } finally {
      threads.shutdownNow();
    }
    assertThat(folder.toFile().list()).hasSize(200);
  }

  @Test
  void message_isWrittenInTxFormat() {
    Path file = writer().write(TASK);

    assertThat(file).hasFileName("1231235958-task-core--coordinator-review-1.md");
    assertThat(file)
        .hasContent(
            """
            ---
            to: code-review-a1b2c3/coordinator
            from: core/core
            type: task
            status: start
            requester: core/core
            msg-id: review-1
            headline: Review the login
            timestamp: 2025-12-31T23:59:58.123Z
            ---

            Please look.
            """);
  }

  @ParameterizedTest
  @EnumSource(TxType.class)
  void writtenMessage_isReadWithoutWarning(TxType type) {
    TxMessage message =
        TxMessage.of(type)
            .from("a-b/c")
            .to("a/b-c")
            .requester("core")
            .id("x.1_y-z")
            .inReplyTo("w")
            .headline("Fix: #12 'now' \"or\" \\never, 👩‍👩‍👧 ähm — [x] {y} & *z @ ` % ! | >")
            .timestamp(Instant.parse("2025-01-02T03:04:05Z"))
            .priority(Priority.HIGH)
            .tags(List.of("a", "b: c", "d, e", "null", "7", "- f", "#g"))
            .deadline(Instant.parse("2026-01-01T00:00:00Z"))
            .body("# Title\n\n---\nto: x/y\n---\r\n\n  ");

    TxFile file = read(writer().write(message));

    assertThat(file.warnings()).isEmpty();
    assertThat(file.message()).isEqualTo(message);
    assertThat(file.isOrphan()).isFalse();
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "null",
        "Yes",
        "12",
        "1e5",
        "2025-10-30",
        "~",
        "a:",
        "a: b",
        "a #b",
        "#a",
        "\"",
        "'",
        "\\",
        "- a",
        "? a",
        "a  b",
        "é",
        "\uffff",
        "%a",
        "=",
        "<<",
        "a,b",
        "x\u00a0y",
        "\ud83d\ude00"
      })
  void everyHeadline_isWrittenAsValidYaml(String headline) {
    TxFile file = read(writer().write(TASK.headline(headline)));

    assertThat(file.warnings()).isEmpty();
    assertThat(file.message().headline()).isEqualTo(headline.strip());
  }

  @ParameterizedTest
  @ValueSource(strings = {"", "\n", "text\n", "\n\ntext", "---", "---\n", "a\r\n", "\r\n"})
  void everyBody_isReadAsWritten(String body) {
    assertThat(read(writer().write(TASK.body(body))).message().body()).isEqualTo(body);
  }

  @Test
  void reply_keepsRequesterOfThread() {
    TxMessage asked = TASK.from("brain/brain").requester("core/core");

    TxMessage answer = asked.reply(TxType.TASK_COMPLETE).id("done-1").headline("Done");

    TxMessage written = read(writer().write(answer)).message();
    assertThat(written.requester()).hasToString("core/core");
    assertThat(written.to()).hasToString("brain/brain");
    assertThat(written.from()).hasToString("code-review-a1b2c3/coordinator");
    assertThat(written.inReplyTo()).isEqualTo("review-1");
    assertThat(written.status()).isEqualTo("complete");
    assertThat(TASK.reply(TxType.UPDATE).requester()).hasToString("core/core");
  }

  @Test
  void messageWithMissingFields_isRejected() {
    assertInvalid(
        TxMessage.of(TxType.ASK_RESPONSE),
        "the message lacks to, from, requester, msg-id, in-reply-to, headline");
    assertInvalid(
        TxMessage.of(TxType.TASK_COMPLETE).from("a/b").to("c/d").id("x").headline("y"),
        "the message lacks in-reply-to");
    assertInvalid(
        TxMessage.of(TxType.ASK_RESPONSE)
            .from("a/b")
            .to("c/d")
            .id("x")
            .headline("y")
            .inReplyTo("z"),
        "the message lacks requester; an answer has the requester of its thread");
    assertThat(folder).isEmptyDirectory();
  }

  @ParameterizedTest
  @ValueSource(strings = {"a/b", "../x", "a b", "x-orphan", "-x", ".x", "é", "a>b"})
  void idUnusableInFileName_isRejected(String id) {
    assertThatThrownBy(() -> writer().write(TASK.id(id)))
        .isInstanceOf(RalphException.class)
        .hasMessageStartingWith("the msg-id " + RalphException.quote(id) + " cannot be part");
    assertThat(folder).isEmptyDirectory();
  }

  @Test
  void tooLongName_isRejected() {
    assertInvalid(
        TASK.id("x".repeat(200)).to("a/" + "b".repeat(100)),
        "the file name would have 326 characters; at most 248 are allowed; choose a shorter"
            + " msg-id");
  }

  @Test
  void hiddenCharactersInValue_areRejected() {
    assertThatThrownBy(() -> TASK.headline("a\nb")).hasMessageContaining("'a\\u000ab'");
    assertThatThrownBy(() -> TASK.headline(" ")).hasMessage("a headline must not be blank");
    assertThatThrownBy(() -> TASK.status("a\u202eb")).hasMessageContaining("'a\\u202eb'");
    assertThatThrownBy(() -> TASK.id("x".repeat(201)))
        .hasMessage("a msg-id has 201 characters; at most 200 are allowed");
    assertThatThrownBy(() -> TASK.body("\ud800")).hasMessageContaining("unpaired surrogate");
    assertThatThrownBy(() -> TASK.to("a/b/c")).hasMessageStartingWith("'a/b/c' is not an address");
    assertThatThrownBy(() -> TASK.tags(List.of("a\tb"))).hasMessageContaining("a tag contains");
  }

  @Test
  void usedName_isRejectedAndFirstTextStays() throws Exception {
    Path file = writer().write(TASK);
    TxMessage sameName = TASK.to("other-mesh/coordinator").body("Another");

    assertThatThrownBy(() -> writer().write(sameName))
        .isInstanceOf(RalphException.class)
        .hasMessage(
            file
                + " already exists: a message of the same second, type and agents has this"
                + " msg-id; choose a different msg-id");
    assertThat(read(file).message().body()).isEqualTo("Please look.");
    assertThat(listed()).containsExactly(file);
  }

  @Test
  void missingFolder_isNotCreated() {
    Path missing = folder.resolve("missing");

    assertThatThrownBy(() -> new TxWriter(missing, CLOCK).write(TASK))
        .hasMessage("no folder " + missing + "; create it or name the folder that TX uses");
    assertThat(missing).doesNotExist();
  }

  @Test
  void interruptedThread_writesMessage() {
    Thread.currentThread().interrupt();
    try {
      assertThat(writer().write(TASK)).exists();
    } finally {
      assertThat(Thread.interrupted()).isTrue();
    }
  }

  @Test
  void concurrentWritersOfName_letFirstWin() throws Exception {
    int writers = 4;
    int rounds = 10;
    String body = "x".repeat(200_000);
    CountDownLatch done = new CountDownLatch(writers);
    ExecutorService threads = Executors.newFixedThreadPool(writers + 1);
    try {
      Future<Integer> reader =
          threads.submit(
              () -> {
                int seen = 0;
                boolean last;
                do {
                  last = done.getCount() == 0;
                  for (Path file : listed()) {
                    if (file.toString().endsWith(".md")) {
                      assertThat(read(file).message().body()).hasSize(body.length() + 1);
                      seen++;
                    }
                  }
                } while (!last);
                return seen;
              });
      List<Future<List<Integer>>> all = new ArrayList<>();
      for (int i = 0; i < writers; i++) {
        String own = Integer.toString(i);
        Callable<List<Integer>> write =
            () -> {
              List<Integer> won = new ArrayList<>();
              try {
                for (int round = 0; round < rounds; round++) {
                  if (tryToWrite(TASK.id("r" + round).body(own + body))) {
                    won.add(round);
                  }
                }
              } finally {
                done.countDown();
              }
              return won;
            };
        all.add(threads.submit(write));
      }
      List<Integer> won = new ArrayList<>();
      for (Future<List<Integer>> each : all) {
        won.addAll(each.get());
      }

      assertThat(won)
          .containsExactlyInAnyOrderElementsOf(
              Stream.iterate(0, round -> round + 1).limit(rounds).toList());
      assertThat(reader.get()).isGreaterThanOrEqualTo(rounds);
      assertThat(listed()).hasSize(rounds);
    } finally {
      threads.shutdownNow();
    }
  }

  private boolean tryToWrite(TxMessage message) {
    try {
      writer().write(message);
      return true;
    } catch (RalphException e) {
      assertThat(e).hasMessageContaining("already exists");
      return false;
    }
  }

  private List<Path> listed() throws Exception {
    try (Stream<Path> files = Files.list(folder)) {
      return files.toList();
    }
  }

  private void assertInvalid(TxMessage message, String text) {
    assertThatThrownBy(() -> writer().write(message))
        .isInstanceOf(RalphException.class)
        .hasMessage(text)
        .extracting("code")
        .isEqualTo(RalphException.Code.INVALID);
  }
}
