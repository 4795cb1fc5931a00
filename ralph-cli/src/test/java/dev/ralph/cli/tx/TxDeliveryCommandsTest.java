package dev.ralph.cli.tx;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import dev.ralph.cli.Terminal;
import dev.ralph.cli.Terminal.Result;
import dev.ralph.mail.TmuxServer;
import dev.ralph.tx.TxFolder;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Comparator;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import java.util.function.Supplier;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** The commands that deliver, ask and answer TX messages. */
@Timeout(300)
class TxDeliveryCommandsTest {

  private static final ObjectMapper JSON = new ObjectMapper();

  @TempDir Path folder;
  private Terminal core;
  private TxFolder tx;
  private Thread deliverer;
  private Result delivered;

  @BeforeEach
  void open() {
    core = new Terminal(folder).with("RALPH_TX_AS", "core");
    tx = TxFolder.of(folder.resolve(TxFolder.USUAL));
  }

  @AfterEach
  void close() throws InterruptedException {
    if (deliverer != null) {
      deliverer.interrupt();
      deliverer.join();
    }
  }

  private void deliver(Terminal terminal, String... options) {
    String[] words = new String[2 + options.length];
    words[0] = "tx";
    words[1] = "deliver";
    System.arraycopy(options, 0, words, 2, options.length);
    deliverer = new Thread(() -> delivered = terminal.call(words));
    deliverer.start();
  }

  private Result done(Terminal terminal, String... words) {
    Result result = terminal.call(words);
    assertThat(result.code()).as(result.err()).isZero();
    return result;
  }

  private static void await(Supplier<Boolean> wanted) {
    long end = System.nanoTime() + TimeUnit.SECONDS.toNanos(60);
    while (!wanted.get()) {
      assertThat(System.nanoTime()).as("arrived in time").isLessThan(end);
      LockSupport.parkNanos(10_000_000);
    }
  }

  private List<String> lines(Path file) {
    try {
      return Files.exists(file) ? Files.readAllLines(file) : List.of();
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  @ParameterizedTest
  @ValueSource(strings = {"", " --to brain"})
  void deletedStore_endsDelivery(String more) throws Exception {
    deliver(core, ("--command true" + more).split(" "));
    await(() -> Files.exists(folder.resolve(".ralph/store")));
    done(core, "tx", "send", "brain", "--id", "one", "hello");
    await(
        () -> core.call("tx", "status").out().contains("brain/brain             running, 0 of 1"));
    Files.move(folder.resolve(".ralph/store"), folder.resolve("away"));
    deliverer.join();
    assertThat(delivered.code()).isEqualTo(1);
    assertThat(delivered.err())
        .contains(".ralph/store was deleted, moved or replaced while in use");
    assertThat(delivered.out().lines().filter(line -> line.contains("needs attention")))
        .hasSizeLessThan(2);
  }

  @Test
  void statusBeforeTheFirstDelivery_hasNoAgents() {
    done(core, "tx", "send", "brain", "--headline", "x", "text");

    assertThat(done(core, "tx", "status").out()).contains("No deliveries yet");
    assertThat(folder.resolve(".ralph")).doesNotExist();
  }

  @Test
  void deliveryCommand_getsFileOnStandardInput() throws Exception {
    Path got = folder.resolve("got");
    Path script =
        Files.writeString(
            folder.resolve("take.sh"),
            "echo \"$RALPH_TX_TO $RALPH_TX_FILE\" >>" + got + "; grep msg-id: >>" + got + "\n");
    done(core, "tx", "send", "brain", "--id", "one", "hello");
    deliver(core, "--json", "--command", "sh " + script);
    await(() -> lines(got).size() == 2);
    done(core, "tx", "send", "a-1/b", "--id", "two", "hello");
    await(() -> lines(got).size() == 4);

    assertThat(lines(got).get(0)).startsWith("brain/brain " + tx.messages()).endsWith("-one.md");
    assertThat(lines(got).get(1)).isEqualTo("msg-id: one");
    assertThat(lines(got).get(3)).isEqualTo("msg-id: two");
    await(
        () -> core.call("tx", "status").out().matches("(?s).*running, 0 of 1.*running, 0 of 1.*"));
    close();
    assertThat(delivered.code()).as(delivered.err()).isZero();
    assertThat(delivered.out().lines().map(TxDeliveryCommandsTest::event))
        .contains("taken one", "delivered one", "taken two", "delivered two");
    assertThat(done(core, "tx", "status").out()).contains("brain/brain             not running");
  }

  private static String event(String line) {
    try {
      JsonNode event = JSON.readTree(line);
      assertThat(event.get("kind").asText()).isEqualTo("tx_event");
      return event.get("event").asText()
          + event.get("file").asText().replaceFirst(".*-(\\w+)\\.md", " $1");
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  @Test
  void messageOfDifferentProcess_reachesNewAgent() throws Exception {
    Path got = folder.resolve("got");
    deliver(core, "--command", "tee -a " + got);
    await(() -> Files.isDirectory(tx.messages()));
    CompletableFuture<Result> asked =
        CompletableFuture.supplyAsync(
            () -> core.call("tx", "ask", "fresh", "--id", "q1", "--wait", "3m", "How much?"));
    await(() -> lines(got).contains("How much?"));

    done(new Terminal(folder), "tx", "reply", "q1", "Ten.");
    assertThat(asked.get().out()).isEqualTo("From: fresh/fresh\n\nTen.\n");
  }

  @Test
  void ask_printsReply() throws Exception {
    CompletableFuture<Result> asked =
        CompletableFuture.supplyAsync(
            () -> core.call("tx", "ask", "brain", "--id", "q1", "--wait", "3m", "How much?"));
    await(() -> !tx.names().isEmpty());
    assertThat(asked).isNotDone();
    String[] wrong = {
      "tx", "send", "core", "--as", "mallory", "--type", "ask-response", "--in-reply-to", "q1"
    };
    done(core, Stream.concat(Stream.of(wrong), Stream.of("Nine.")).toArray(String[]::new));
    Result reply = done(new Terminal(folder), "tx", "reply", "q1", "Ten.");

    assertThat(reply.line()).contains("-ask-response-brain--core-");
    assertThat(asked.get().out()).isEqualTo("From: brain/brain\n\nTen.\n");
    assertThat(asked.get().err())
        .contains("created the store", "not an answer to q1", "from mallory/mallory");
    Result again = done(core, "tx", "ask", "brain", "--id", "q1", "--json", "How much?");
    assertThat(JSON.readTree(again.out()).at("/message/body").asText()).isEqualTo("Ten.");
    Result late = core.call("tx", "ask", "brain", "--wait", "10ms", "And now?");
    assertThat(late.code()).isEqualTo(8);
    assertThat(late.err()).contains("no answer");
  }

  @Test
  void undeliveredMessages_areListed() throws Exception {
    done(core, "tx", "send", "brain", "--id", "one", "hello");
    Files.writeString(tx.file("nobody.md"), "---\nfrom: core\nmsg-id: nobody\n---\n");
    Result dry = core.call("tx", "deliver", "--dry-run");
    assertThat(dry.out().lines())
        .satisfiesExactlyInAnyOrder(
            line -> assertThat(line).endsWith("-one.md is accepted for brain/brain"),
            line -> assertThat(line).startsWith("nobody.md is refused: no receiver"));
    assertThat(folder.resolve(".ralph")).doesNotExist();

    deliver(core, "--command", "true");
    String listed = "Not delivered, or changed before delivery:\n  nobody.md is refused";
    await(() -> core.call("tx", "status").out().contains(listed));
    JsonNode status = JSON.readTree(done(core, "tx", "status", "--json").out());
    assertThat(status.at("/stepped_over/0/event").asText()).isEqualTo("refused");
  }

  @Test
  void messages_areTypedIntoTmuxSessions() throws Exception {
    Path home = Files.createTempDirectory("tx");
    TmuxServer server = TmuxServer.in(home, "first");
    try {
      Path got = folder.resolve("got");
      server.tmux("new-session", "-d", "-s", "a-b-c", "sh", "-c", "cat >" + got);
      Terminal inTmux =
          new Terminal(folder)
              .with("TMUX", server.variables("x").get("TMUX"))
              .with("RALPH_TX_AS", "core");
      deliver(inTmux);
      String file = done(core, "tx", "send", "a-b/c", "hello").line();
      await(() -> lines(got).equals(List.of("@" + file)));
      done(core, "tx", "send", "a/b-c", "hello");
      String last = done(core, "tx", "send", "a-b/c", "hello").line();
      await(() -> lines(got).equals(List.of("@" + file, "@" + last)));
      await(
          () ->
              core.call("tx", "status").out().contains("a-b/c                   running, 0 of 2"));
      assertThat(core.call("tx", "status").out())
          .contains("a/b-c                   not running, 1 of 1");
      close();
      assertThat(delivered.err()).contains("a/b-c shares the tmux session of another agent");

      deliver(inTmux);
      String third = done(core, "tx", "send", "a-b/c", "hello").line();
      await(() -> lines(got).equals(List.of("@" + file, "@" + last, "@" + third)));
      close();
      assertThat(delivered.err())
          .as("after a restart")
          .contains("a/b-c shares the tmux session of another agent");
    } finally {
      close();
      server.end();
      try (Stream<Path> files = Files.walk(home)) {
        files.sorted(Comparator.reverseOrder()).forEach(file -> file.toFile().delete());
      }
    }
  }

  @ParameterizedTest
  @CsvSource({
    "tx deliver --command cat --tmux,         2, not both",
    "tx deliver --command=,                 2, --command",
    "tx deliver --command no-such-program,  2, no-such-program",
    "tx deliver --to ../x,                  2, is not an address",
    "tx deliver --to a-b/c --to a/b-c,      2, session of another agent",
    "tx status,                             1, no .ai/tx",
    "tx reply x y,                          1, no .ai/tx",
    "tx ask brain,                          2, --as is required",
  })
  void wrongUsage_isExplained(String call, int code, String why) {
    Result refused = new Terminal(folder).pipe("text", call.split(" "));

    assertThat(refused.code()).as(refused.err()).isEqualTo(code);
    assertThat(refused.err()).contains(why);
  }
}
