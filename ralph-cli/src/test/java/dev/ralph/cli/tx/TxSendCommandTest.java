package dev.ralph.cli.tx;

import static org.assertj.core.api.Assertions.assertThat;

import dev.ralph.cli.Terminal;
import dev.ralph.cli.Terminal.Result;
import dev.ralph.domain.Priority;
import dev.ralph.tx.TxFile;
import dev.ralph.tx.TxFolder;
import dev.ralph.tx.TxMessage;
import dev.ralph.tx.TxType;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** The commands that write TX messages. */
class TxSendCommandTest {

  @TempDir Path folder;
  private Terminal core;

  @BeforeEach
  void open() {
    core = new Terminal(folder).with("RALPH_TX_AS", "core");
  }

  private TxFile only() {
    TxFolder tx = TxFolder.of(folder.resolve(TxFolder.USUAL));
    assertThat(tx.names()).hasSize(1);
    return tx.read(tx.names().get(0));
  }

  @Test
  void textAlone_makesCompleteMessage() {
    Result sent = core.call("tx", "send", "brain", "# Which *port*?\n\nPlease look.");

    assertThat(sent.code()).as(sent.err()).isZero();
    assertThat(sent.err()).contains("created the folder " + folder.resolve(".ai/tx/msgs"));
    TxFile file = only();
    assertThat(sent.line())
        .isEqualTo(folder.resolve(".ai/tx/msgs").resolve(file.name()).toString());
    assertThat(file.warnings()).isEmpty();
    TxMessage message = file.message();
    assertThat(message.type()).isEqualTo(TxType.TASK);
    assertThat(message.from()).hasToString("core/core");
    assertThat(message.to()).hasToString("brain/brain");
    assertThat(message.requester()).hasToString("core/core");
    assertThat(message.headline()).isEqualTo("Which *port*?");
    assertThat(message.body()).isEqualTo("# Which *port*?\n\nPlease look.");
  }

  @Test
  void usedMsgId_isRefused() {
    assertThat(core.call("tx", "send", "brain", "--id", "x-1", "first").code()).isZero();
    String first = only().name();
    Result second = core.call("tx", "send", "eyes", "--as", "other", "--id", "x-1", "second");
    assertThat(second.code()).isEqualTo(1);
    assertThat(second.err())
        .contains("'x-1' is already used by " + first, "give another --id, or omit it");
    assertThat(only().name()).isEqualTo(first);
    assertThat(core.call("tx", "send", "brain", "--id", "y-x-1", "third").code()).isZero();
    assertThat(core.call("tx", "send", "brain", "--id", "1", "fourth").code()).isZero();
  }

  @Test
  void replyToUnknownMessage_isWarnedAbout() {
    String[] words = {
      "tx", "send", "brain", "--type", "ask-response", "--in-reply-to", "q1", "--requester", "core"
    };
    Result sent =
        core.call(Stream.concat(Stream.of(words), Stream.of("ten")).toArray(String[]::new));
    assertThat(sent.code()).as(sent.err()).isZero();
    assertThat(sent.err())
        .contains("--in-reply-to: no message with the msg-id 'q1'", "ralph tx msg lists");
    assertThat(only().message().inReplyTo()).isEqualTo("q1");
    String answer = String.valueOf(only().id());
    assertThat(core.call("tx", "reply", answer, "--id", "q1", "Thanks").code()).isZero();
    assertThat(
            core.call(Stream.concat(Stream.of(words), Stream.of("ten")).toArray(String[]::new))
                .err())
        .isEmpty();
    Result none = core.call("tx", "reply", "nope", "Thanks");
    assertThat(none.code()).isEqualTo(1);
    assertThat(none.err()).contains("'nope'", "ralph tx msg lists the newest messages");
  }

  @Test
  void invalidRouting_isWarnedAbout() throws IOException {
    Path routing = Files.createDirectories(folder.resolve("meshes/mesh-configs"));
    Files.writeString(
        routing.resolve("core.json"),
        "{\"routing\": {\"core\": {\"complete\": {\"brain\": \"when it is done\"}}}}");
    Result refused = core.call("tx", "send", "brain", "--status", "finished", "Done");
    assertThat(refused.code()).as(refused.err()).isZero();
    assertThat(refused.err())
        .contains("the message will be rejected: Unknown status \"finished\" for agent core");
    assertThat(only().message().status()).isEqualTo("finished");

    Result passes = core.call("tx", "send", "brain", "--status", "complete", "Done");
    assertThat(passes.err()).doesNotContain("refused");
  }

  @Test
  void reply_inheritsRequester() {
    core.call("tx", "send", "brain", "--id", "t1", "--requester", "boss", "Look");
    String[] words = {"tx", "send", "eyes", "--in-reply-to", "t1", "--id", "t2", "--as", "brain"};
    Result sent =
        core.call(Stream.concat(Stream.of(words), Stream.of("And you")).toArray(String[]::new));
    assertThat(sent.code()).as(sent.err()).isZero();
    assertThat(
            TxFolder.of(folder.resolve(TxFolder.USUAL))
                .findByName("t2")
                .orElseThrow()
                .message()
                .requester())
        .hasToString("boss/boss");
    Result unknown = core.call("tx", "send", "eyes", "--in-reply-to", "nope", "And you");
    assertThat(unknown.code()).isEqualTo(2);
    assertThat(unknown.err()).contains("'nope'", "also give --requester");
  }

  @Test
  void loopingThreadOrUnknownInstance_isWarnedAbout() throws IOException {
    Path routing = Files.createDirectories(folder.resolve("meshes/mesh-configs"));
    Files.writeString(
        routing.resolve("core.json"),
        "{\"routing\": {\"core\": {\"rejected\": {\"brain\": \"once more\"}}}}");
    core.call("tx", "send", "core", "--as", "brain", "--id", "m0", "Begin");
    for (int i = 1; i <= 5; i++) {
      String[] words = {
        "tx", "send", "brain", "--status", "rejected", "--in-reply-to", "m" + (i - 1), "--id"
      };
      Result sent =
          core.call(
              Stream.concat(Stream.of(words), Stream.of("m" + i, "No")).toArray(String[]::new));
      assertThat(sent.code()).as(sent.err()).isZero();
      if (i <= 3) {
        assertThat(sent.err()).isEmpty();
      } else {
        assertThat(sent.err())
            .contains("will be rejected: Max routing iterations exceeded", "Limit: 3");
      }
    }
    assertThat(core.call("tx", "send", "brain", "--as", "brain-a1/x", "Hello").err())
        .contains("the receiver brain/brain names no running instance");
  }

  @Test
  void messagesFolder_isRefusedWithParent() throws IOException {
    Path messages = Files.createDirectories(folder.resolve(".ai/tx/msgs"));
    for (String command : List.of("msg", "status", "orphans")) {
      Result result = core.call("tx", command, "--folder", messages.toString());
      assertThat(result.code()).isEqualTo(2);
      assertThat(result.err())
          .contains(
              "--folder takes the TX folder, the parent of 'msgs': give '"
                  + folder.resolve(".ai/tx"));
    }
  }

  @Test
  void everyOption_isWritten() {
    Result sent =
        core.pipe(
            "It is 80.\n",
            ("tx send a-1/b --type ask-response --in-reply-to q1 --requester boss/boss --status"
                    + " approved --id r1 --priority low --tag x --tag y --headline Eighty"
                    + " --deadline"
                    + " 2099-01-01T00:00:00Z --json")
                .split(" "));

    assertThat(sent.code()).as(sent.err()).isZero();
    TxFile file = only();
    assertThat(sent.line())
        .isEqualTo(
            "{\"v\":1,\"kind\":\"tx_sent\",\"file\":\""
                + folder.resolve(".ai/tx/msgs").resolve(file.name())
                + "\"}");
    TxMessage message = file.message();
    assertThat(message.type()).isEqualTo(TxType.ASK_RESPONSE);
    assertThat(message.inReplyTo()).isEqualTo("q1");
    assertThat(message.requester()).hasToString("boss/boss");
    assertThat(message.status()).isEqualTo("approved");
    assertThat(message.id()).isEqualTo("r1");
    assertThat(message.priority()).isEqualTo(Priority.LOW);
    assertThat(message.tags()).isEqualTo(List.of("x", "y"));
    assertThat(message.headline()).isEqualTo("Eighty");
    assertThat(message.deadline()).hasToString("2099-01-01T00:00:00Z");
    assertThat(message.body()).isEqualTo("It is 80.");
  }

  @Test
  void nearestFolderAbove_isUsed() throws IOException {
    Files.createDirectories(folder.resolve(".ai/tx/msgs"));
    Path below = Files.createDirectories(folder.resolve("src/deep"));

    Result sent = new Terminal(below).call("tx", "send", "brain", "--as", "core", "hello");

    assertThat(sent.err()).isEmpty();
    assertThat(only().message().body()).isEqualTo("hello");
  }

  @ParameterizedTest
  @CsvSource({
    "tx send brain hello,                          2, --as is required",
    "tx send brain --as core --type letter hello,  2, 'must be one of ask, ask-response, task'",
    "tx send ../x --as core hello,                 2, TO: '../x' is not an address",
    "tx send brain --as core --priority now hello, 2, 'high, normal or low'",
    "tx send brain --as core --deadline soon x,    2, 2026-01-31T09:05:00Z",
    "tx send brain --as core --deadline 2026-13-45 x, 2, a duration such as",
    "tx send brain --as core --deadline 2020-01-01 x, 1, is past",
    "tx send brain --as core --folder missing x,   1, no folder",
    "tx send brain --as core --id a/b hello,       1, cannot be part of a file name",
    "tx send brain --as core --type ask-response hello, 1, lacks in-reply-to",
  })
  void invalidMessage_isRefused(String call, int code, String why) {
    Result refused = new Terminal(folder).call(call.split(" "));

    assertThat(refused.code()).as(refused.err()).isEqualTo(code);
    assertThat(refused.err()).contains(why);
    assertThat(TxFolder.of(folder.resolve(TxFolder.USUAL)).names()).isEmpty();
  }
}
