package dev.ralph.cli;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import dev.ralph.Ralph;
import dev.ralph.cli.Terminal.Result;
import dev.ralph.mail.Mailbox;
import dev.ralph.mail.Mailboxes;
import dev.ralph.store.support.GitRepository;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** The output and exit codes of the mail commands. */
@Timeout(300)
class MailCommandsTest {

  private static final ObjectMapper JSON = new ObjectMapper();

  @TempDir Path folder;
  private Terminal ann;
  private Terminal bob;

  @BeforeEach
  void open() {
    ann = new Terminal(folder).with("RALPH_MAIL_AS", "ann");
    bob = new Terminal(folder).with("RALPH_MAIL_AS", "bob");
    assertThat(ann.call("mail", "send", "bob", "how much?").err()).contains("created the store");
  }

  private static String done(Terminal terminal, String... words) {
    Result result = terminal.call(words);
    assertThat(result.err()).isEmpty();
    assertThat(result.code()).isZero();
    return result.line();
  }

  private static String refused(int code, Terminal terminal, String... words) {
    Result result = terminal.call(words);
    assertThat(result.code()).as(result.out()).isEqualTo(code);
    assertThat(result.out()).isEmpty();
    return result.err();
  }

  private static JsonNode json(Terminal terminal, String... words) throws IOException {
    JsonNode answer = JSON.readTree(done(terminal, words));
    assertThat(answer.get("v").asInt()).isEqualTo(1);
    return answer;
  }

  @Test
  void keyWithDifferentText_isReportedAsNotSent() throws IOException {
    done(ann, "mail", "send", "carl", "--key", "k", "first");
    done(ann, "mail", "send", "carl", "--key", "k", "first");
    done(bob, "mail", "send", "carl", "--key", "k", "of bob");
    Result result = ann.call("mail", "send", "carl", "--also", "dora", "--key", "k", "other");
    assertThat(result.code()).isEqualTo(1);
    assertThat(result.out())
        .contains("Mail sent to dora: ", "Mail not sent to carl: ")
        .doesNotContain("Mail sent to carl");
    assertThat(result.err())
        .contains("not sent to carl, which has m1 with a different text under this key")
        .doesNotContain("dora");
    assertThat(done(ann, "mail", "list", "--as", "carl"))
        .contains("first", "of bob")
        .doesNotContain("other");
    assertThat(done(ann, "mail", "list", "--as", "dora")).contains("other");

    Result again = ann.call("mail", "send", "carl", "--key", "k", "third", "--json");
    assertThat(again.code()).isEqualTo(1);
    JsonNode answer = JSON.readTree(again.out());
    assertThat(answer.get("mails")).isEmpty();
    assertThat(answer.at("/not_sent/0/box").asText()).isEqualTo("carl");
    assertThat(answer.at("/not_sent/0/earlier").asText()).isEqualTo("m1");
  }

  @Test
  void mail_isReceivedAnsweredAndAcknowledged() throws IOException {
    JsonNode received = json(bob, "mail", "receive", "--json");
    assertThat(received.get("kind").asText()).isEqualTo("received");
    assertThat(received.at("/mail/text").asText()).isEqualTo("how much?");
    assertThat(received.at("/mail/from").asText()).isEqualTo("ann");
    assertThat(received.at("/mail/state").asText()).isEqualTo("received");
    assertThat(refused(8, bob, "mail", "receive")).contains("no mail for bob; use --wait");

    String token = received.get("token").asText();
    assertThat(done(bob, "mail", "reply", "m1", "--token", token, "ten"))
        .startsWith("Mail sent to ann");
    assertThat(refused(1, bob, "mail", "ack", "m1", "--token", token)).contains("already read");
    assertThat(done(ann, "mail", "receive", "--ack"))
        .as("acknowledged without a token")
        .startsWith("From: bob\n")
        .doesNotContain("Token")
        .endsWith("\n\nten");
    assertThat(done(ann, "mail", "list")).isEqualTo("No unread mail");
    assertThat(done(ann, "mail", "list", "--all"))
        .startsWith("m1 [read] ")
        .endsWith("bob to ann: ten");
    assertThat(done(bob, "mail", "thread", "m1").lines())
        .satisfiesExactly(
            asked -> assertThat(asked).startsWith("m1 of bob [read] "),
            answered -> assertThat(answered).startsWith("m1 of ann [read] "));
  }

  @Test
  void releasedOrExpiredMail_isRedelivered() throws IOException {
    String token = json(bob, "mail", "receive", "--json").get("token").asText();
    assertThat(done(bob, "mail", "release", "m1", "--token", token))
        .isEqualTo("Mail m1 of bob released");
    assertThat(refused(1, bob, "mail", "ack", "m1", "--token", token)).contains("was released");
    JsonNode again = json(bob, "mail", "receive", "--lease", "1ms", "--json");
    assertThat(again.get("again").asBoolean()).isTrue();
    // Waits until the lease has ended, which takes one millisecond.
    JsonNode third = json(bob, "mail", "receive", "--wait", "1m", "--json");
    assertThat(third.at("/mail/id")).isEqualTo(again.at("/mail/id"));
    assertThat(refused(1, bob, "mail", "ack", "m1", "--token", again.get("token").asText()))
        .contains("a later receiver holds the message");
  }

  @Test
  void failedOutput_returnsMailToBox() throws IOException {
    Result full = bob.callFailing("No space left on device", "mail", "receive");
    assertThat(full.err()).contains("m1 was released", "No space left on device");
    assertThat(full.code()).isEqualTo(1);
    assertThat(done(bob, "mail", "list")).startsWith("m1 [waiting]");

    assertThat(bob.callFailing("Broken pipe", "mail", "receive", "--json"))
        .isEqualTo(
            new Result(
                1,
                "",
                "ralph: the output was closed before the mail was written; m1 was released\n"));
    assertThat(bob.callUnheard("mail", "receive", "--ack")).isEqualTo(1);
    assertThat(json(bob, "mail", "receive", "--json").get("again").asBoolean()).isTrue();
  }

  @Test
  void immediateAcknowledgement_returnsNoToken() throws IOException {
    done(bob, "mail", "receive");
    done(bob, "mail", "send", "bob", "second");
    JsonNode received = json(bob, "mail", "receive", "--ack", "--json");
    assertThat(received.at("/mail/text").asText()).isEqualTo("second");
    assertThat(received.has("token")).isFalse();
    assertThat(received.has("until")).isFalse();
    assertThat(received.get("again").asBoolean()).isFalse();
  }

  @Test
  void mailLease_isRenewedByToken() throws IOException {
    JsonNode received = json(bob, "mail", "receive", "--lease", "1h", "--json");
    String token = received.get("token").asText();

    JsonNode renewed =
        json(bob, "mail", "renew", "m1", "--token", token, "--lease", "2h", "--json").get("mail");
    assertThat(renewed.get("held_until").asText()).isGreaterThan(received.get("until").asText());
    assertThat(done(bob, "mail", "renew", "m1", "--token", token))
        .startsWith("Mail m1 of bob is reserved for you until ");
    assertThat(json(bob, "mail", "show", "m1", "--json").at("/mail/held_until").asText())
        .as("10 minutes by default")
        .isLessThan(received.get("until").asText());
    done(bob, "mail", "ack", "m1", "--token", token);
    assertThat(refused(1, bob, "mail", "renew", "m1", "--token", token)).contains("already read");
    assertThat(refused(2, bob, "mail", "renew", "m1")).contains("--token");
  }

  @Test
  void storeAtGivenAddress_isCreatedByCreateOption() {
    String store = folder.resolve("new").toString();
    Terminal there = new Terminal(folder).with("RALPH_STORE", store).with("RALPH_MAIL_AS", "bob");
    assertThat(refused(1, there, "mail", "send", "bob", "x")).contains("--create", "ralph mail");
    assertThat(done(there, "mail", "send", "bob", "x", "--create")).startsWith("Mail sent to bob");
    assertThat(done(there, "mail", "receive", "--create")).endsWith("\n\nx");

    String other = folder.resolve("other").toString();
    refused(8, ann, "mail", "receive", "--store", other, "--create");
    refused(8, ann, "mail", "ask", "bob", "x", "--wait", "1ms", "--store", other + 2, "--create");
    done(ann, "mail", "watch", "--wait", "1ms", "--store", other + 3, "--create");
    assertThat(Path.of(other)).isDirectory();
    assertThat(Path.of(other + 2)).isDirectory();
    assertThat(Path.of(other + 3)).isDirectory();
  }

  @Test
  void emptyBox_hasDistinctExitCode() throws IOException {
    done(bob, "mail", "receive", "--ack");

    Result nothing = bob.call("mail", "receive", "--json");
    assertThat(nothing.code()).isEqualTo(8);
    assertThat(nothing.out()).isEmpty();
    assertThat(JSON.readTree(nothing.err()).get("code").asText()).isEqualTo("NOTHING");
    Result unknown = bob.call("mail", "show", "m7", "--json");
    assertThat(unknown.code()).isEqualTo(1);
    assertThat(JSON.readTree(unknown.err()).get("code").asText()).isEqualTo("NOT_FOUND");
  }

  @Test
  void threadMailInForeignBox_showsCommandWithBox() {
    done(ann, "mail", "send", "bob carl", "--also", "bob", "x".repeat(20_000));
    assertThat(done(bob, "mail", "thread", "m2").lines())
        .satisfiesExactlyInAnyOrder(
            own -> assertThat(own).startsWith("m2 of bob ").contains("; mail show m2 has all"),
            other ->
                assertThat(other)
                    .startsWith("m1 of bob carl ")
                    .contains("; mail show --as 'bob carl' m1 has all"));
  }

  @Test
  void mail_showsHeadlineTypeAndPriority() throws IOException {
    done(
        ann,
        "mail",
        "send",
        "bob",
        "--also",
        "carl",
        "--headline",
        "The API",
        "--type",
        "review",
        "--priority",
        "high",
        "--tag",
        "a",
        "--tag",
        "b",
        "--deadline",
        "1h",
        "--key",
        "k",
        "see");
    JsonNode mail = json(bob, "mail", "receive", "--json").get("mail");
    assertThat(mail.get("headline").asText()).isEqualTo("The API");
    assertThat(mail.get("to")).hasSize(2);
    assertThat(mail.get("tags")).hasSize(2);
    assertThat(done(bob, "mail", "show", "m2"))
        .contains(
            "To: bob, carl\n", "Type: review\n", "Priority: high\n", "Tags: a, b\n", "\n\nsee");
    assertThat(done(ann, "mail", "boxes"))
        .isEqualTo("bob: 2 of 2 unread\ncarl: 1 of 1 unread (orphaned)");
    assertThat(json(ann, "mail", "boxes", "--json").at("/boxes/1/orphaned").asBoolean()).isTrue();
  }

  @Test
  void invalidMailArguments_areExplained() {
    assertThat(refused(2, new Terminal(folder), "mail", "receive")).contains("--as is required");
    assertThat(refused(2, bob, "mail", "send", "ann", "x", "--priority", "dire"))
        .contains("--priority must be high, normal or low, not 'dire'");
    for (String none : List.of("soon", "2026-13-45", "12:00 tomorrow")) {
      assertThat(refused(2, bob, "mail", "send", "ann", "x", "--deadline", none))
          .contains("--deadline must be a duration such as 30m, or a time such as 2026-01-31T")
          .doesNotContain("frame");
    }
    assertThat(refused(2, bob, "mail", "send", "ann", " ")).contains("needs text");
    assertThat(refused(2, bob, "mail", "ask", "ann", "")).contains("needs text");
    assertThat(bob.pipe(new byte[] {'a', (byte) 0xff}, "mail", "send", "ann"))
        .as("exit code for an invalid text")
        .satisfies(none -> assertThat(none.err()).contains("UTF-8"))
        .extracting(Result::code)
        .isEqualTo(2);
    assertThat(refused(1, bob, "mail", "show", "m7")).contains("no mail 'm7'");
    assertThat(refused(1, bob, "mail", "send", "ann", "x", "--also", "session:s"))
        .contains("cannot send a mail to both");
    assertThat(refused(2, bob, "mail", "ack", "m1")).contains("--token");
    assertThat(refused(2, bob, "mcp", "--mail", "shop"))
        .contains("--mail takes a project and a box");
    for (String address : new String[] {" / ", "shop/ ", "shop/session:no name"}) {
      assertThat(refused(2, bob, "mcp", "--mail", address)).contains("--mail");
    }
  }

  @Test
  void controlCharactersInMail_areEscaped() {
    done(
        ann,
        "mail",
        "send",
        "bob",
        "--priority",
        "high",
        "--headline",
        "\u001b[2J",
        "a\u001b[31mb");
    assertThat(done(bob, "mail", "receive")).doesNotContain("\u001b").contains("\\u001b");
  }

  @Test
  void ask_waitsForAnswer() throws Exception {
    assertThat(refused(8, ann, "mail", "ask", "bob", "--wait", "50ms", "anybody?"))
        .contains("no answer within this time");
    done(bob, "mail", "receive", "--ack");
    done(bob, "mail", "receive", "--ack");
    CompletableFuture<Result> asking =
        CompletableFuture.supplyAsync(
            () -> ann.call("mail", "ask", "bob", "--wait", "2m", "how much?"));
    JsonNode question = json(bob, "mail", "receive", "--wait", "2m", "--json");
    assertThat(question.at("/mail/awaited_until").asText()).isNotEmpty();
    done(bob, "mail", "reply", "m3", "--token", question.get("token").asText(), "ten");
    assertThat(asking.get(2, TimeUnit.MINUTES).out()).contains("\n\nten\n");
  }

  @Test
  void watch_listsMailWithoutReceiving() throws Exception {
    CompletableFuture<Result> watching =
        CompletableFuture.supplyAsync(() -> bob.call("mail", "watch", "--wait", "3s"));
    try (Ralph ralph = Ralph.open(folder.resolve(".ralph/store"))) {
      Mailbox box = Mailboxes.of(ralph, "default").box("bob");
      int sent = 0;
      // Mail sent before the command reads the mailbox is not new.
      while (!watching.isDone() && sent < 60) {
        done(ann, "mail", "send", "bob", "news " + sent++);
        CompletableFuture.anyOf(watching).completeOnTimeout(null, 50, TimeUnit.MILLISECONDS).join();
      }
      assertThat(watching.get(2, TimeUnit.MINUTES).out()).contains("ann to bob: news");
      assertThat(box.unread()).as("watching receives no mail").hasSize(1 + sent);
    }
  }

  @Test
  void mailToSession_becomesMessage() {
    done(ann, "mail", "send", "session:auth", "do the API first");
    assertThat(done(ann, "inbox", "-n", "auth")).endsWith("ann: do the API first");
  }

  @Test
  void workTreesOfRepository_shareMail() throws Exception {
    Path main = Files.createDirectories(folder.resolve("r/main"));
    GitRepository git = new GitRepository(main);
    git.git("commit -q --allow-empty -m x");
    git.git("worktree add -q ../linked -b b");
    Path below = Files.createDirectories(folder.resolve("r/linked/src/deep"));

    Terminal linked = new Terminal(below).with("RALPH_MAIL_AS", "ann");
    assertThat(linked.call("mail", "send", "bob", "hello").code()).isZero();
    assertThat(main.resolve(".ralph/store")).isDirectory();
    Terminal there = new Terminal(Files.createDirectories(main.resolve("src")));
    assertThat(done(there, "mail", "receive", "--as", "bob")).contains("hello");
  }

  @Test
  void neighbouringRepositories_haveSeparateMail() throws Exception {
    GitRepository git = new GitRepository(Files.createDirectories(folder.resolve("r/main")));
    git.git("commit -q --allow-empty -m x");
    for (String name : List.of("shop", "bank")) {
      git.git("clone -q --bare . ../" + name + ".git");
      git.git("--git-dir=../" + name + ".git worktree add -q ../" + name + " -b b");
      git.git("--git-dir=../" + name + ".git worktree add -q ../" + name + "-2 -b b2");
    }

    in("r/shop").call("mail", "send", "bob", "--as", "ann", "of the shop");

    assertThat(in("r/bank").call("mail", "receive", "--as", "bob").out()).isEmpty();
    assertThat(done(in("r/shop-2"), "mail", "receive", "--as", "bob")).contains("of the shop");
    assertThat(folder.resolve("r/.ralph")).doesNotExist();
  }

  @Test
  void separateGitDirectory_sharesMailOfWorkTrees() throws Exception {
    GitRepository git = new GitRepository(Files.createDirectories(folder.resolve("r/main")));
    git.git("commit -q --allow-empty -m x");
    git.git("clone -q --separate-git-dir=../kept . ../shop");
    git.git("-C ../shop worktree add -q ../linked -b b");

    in("r/shop").call("mail", "send", "bob", "--as", "ann", "one");
    in("r/linked").call("mail", "send", "bob", "--as", "ann", "two");

    assertThat(done(in("r/linked"), "mail", "receive", "--as", "bob")).contains("one");
    assertThat(done(in("r/shop"), "mail", "receive", "--as", "bob")).contains("two");
  }

  private Terminal in(String path) throws IOException {
    return new Terminal(Files.createDirectories(folder.resolve(path)));
  }

  @Test
  void mcpMailbox_receivesMailOfAgent() throws Exception {
    String lines =
        request(1, "initialize", "{\"protocolVersion\":\"2025-11-25\",\"capabilities\":{}}")
            + request(2, "tools/call", "{\"name\":\"mail_receive\",\"arguments\":{}}");
    Result result = bob.pipe(lines, "mcp", "--mail", "default/bob", "-n", "auth");
    assertThat(result.out()).contains("Mail m1 from ann").contains("how much?");
    String listed =
        bob.pipe(
                request(1, "initialize", "{\"protocolVersion\":\"2025-11-25\",\"capabilities\":{}}")
                    + request(2, "tools/list", "{}"),
                "mcp",
                "--mail",
                "default/bob")
            .out();
    JsonNode tools = JSON.readTree(listed.lines().skip(1).findFirst().orElseThrow());
    int characters = 0;
    for (JsonNode tool : tools.at("/result/tools")) {
      if (tool.get("name").asText().startsWith("mail_")) {
        characters += tool.toString().length() + 1;
      }
    }
    assertThat(characters).as("size of the tool definitions").isBetween(100, 600);
    assertThat(json(bob, "mail", "receive", "--json").get("again").asBoolean())
        .as("released when the agent ends")
        .isTrue();
  }

  @Test
  void mcpMailbox_createsDefaultStoreOnly(@TempDir Path empty) throws Exception {
    String lines =
        request(1, "initialize", "{\"protocolVersion\":\"2025-11-25\",\"capabilities\":{}}")
            + request(2, "tools/call", "{\"name\":\"mail_receive\",\"arguments\":{}}");
    Result result = new Terminal(empty).pipe(lines, "mcp", "--mail", "shop/bob", "-n", "s1");
    assertThat(result.out()).contains("No mail");
    assertThat(result.err()).contains("created the store");
    assertThat(empty.resolve(".ralph/store")).isDirectory();
    String given = empty.resolve("given").toString();
    Result refused =
        new Terminal(empty).pipe(lines, "mcp", "--mail", "shop/bob", "-n", "s1", "--store", given);
    assertThat(refused.out()).contains("\"id\":2").contains("ERROR: ").contains("--create");
  }

  @Test
  void sessionInbox_marksMail() throws IOException {
    assertThat(ann.call("mail", "send", "session:auth", "hello", "--headline", "A port").code())
        .isZero();
    ann.call("message", "-n", "auth", "--by", "ann", "stop");
    assertThat(done(ann, "inbox", "-n", "auth"))
        .containsPattern("m1 .* mail from ann: A port: hello\nm2 .*[0-9] ann: stop");
    JsonNode messages = json(ann, "inbox", "-n", "auth", "--json").get("messages");
    assertThat(messages.at("/0/headline").asText()).isEqualTo("A port");
    assertThat(messages.at("/0/mail").asBoolean()).isTrue();
    assertThat(messages.get(1).has("mail")).isFalse();
  }

  private static String request(int id, String method, String params) {
    return "{\"jsonrpc\":\"2.0\",\"id\":"
        + id
        + ",\"method\":\""
        + method
        + "\",\"params\":"
        + params
        + "}\n";
  }
}
