package dev.ralph.cli.agentmail;

import static org.assertj.core.api.Assertions.assertThat;

import dev.ralph.cli.Terminal;
import dev.ralph.cli.Terminal.Result;
import dev.ralph.cli.call.Environment;
import dev.ralph.mail.TmuxServer;
import java.io.ByteArrayOutputStream;
import java.io.InputStream;
import java.io.OutputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CountDownLatch;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** The commands, exit codes and messages of AgentMail, in a real tmux session. */
@Timeout(120)
class AgentMailFaceTest {

  private static final String ESCAPE = "\u001b[31mred\u001b]0;title\u0007 \u202e\u0085";

  @TempDir Path folder;
  private TmuxServer server;
  private Path box;
  private Terminal ann;
  private Terminal bob;

  @BeforeEach
  void start() throws Exception {
    server = TmuxServer.in(folder, "ann");
    Files.createDirectory(folder.resolve(".git"));
    box = folder.resolve(".git/mail/bob.jsonl");
    ann = terminal(server.pane("ann"));
    bob = terminal(server.window("bob"));
  }

  @AfterEach
  void end() throws Exception {
    server.end();
  }

  private Terminal terminal(String pane) throws Exception {
    Terminal terminal = new Terminal(folder);
    server.variables(pane).forEach(terminal::with);
    return terminal;
  }

  private static void refuses(int code, String explanation, Result result) {
    assertThat(result.err()).startsWith("error: ").contains(explanation);
    assertThat(result.out()).isEmpty();
    assertThat(result.code()).isEqualTo(code);
  }

  @Test
  void send_printsIdAndReceivePrintsMessage() throws Exception {
    Result sent = ann.call("agentmail", "send", "bob", "Is it --stable?\nSay so.");
    assertThat(sent.out()).matches("[a-zA-Z0-9]{8}\n");
    assertThat(sent.err()).isEmpty();
    assertThat(sent.code()).isZero();
    assertThat(Files.readString(box))
        .startsWith("{\"id\":\"" + sent.line() + "\",\"from\":\"ann\",\"to\":\"bob\",\"message\":");

    assertThat(ann.call("agentmail", "receive").out()).isEqualTo("No unread messages\n");
    assertThat(bob.call("agentmail", "receive"))
        .isEqualTo(
            new Result(0, "From: ann\nID: " + sent.line() + "\n\nIs it --stable?\nSay so.\n", ""));
    assertThat(bob.call("agentmail", "receive"))
        .isEqualTo(new Result(0, "No unread messages\n", ""));
  }

  @Test
  void secretInAgentMessage_isRedacted() {
    String key = "npm_" + "aB3dE5fG7hI9jK1lM3nO5pQ7rS9tU1vW3xY5";
    ann.with("RALPH_MARK", "ralph.1.s").call("agentmail", "send", "bob", "use " + key);
    assertThat(bob.call("agentmail", "receive").out()).endsWith("\n\nuse [redacted: npm token]\n");
  }

  @Test
  void receivedMessage_endsWithLineBreak() {
    ann.call("agentmail", "send", "bob", "text");
    ann.call("agentmail", "send", "bob", "text\n");
    ann.call("agentmail", "send", "bob", "text");

    assertThat(bob.call("agentmail", "receive").out()).endsWith("\n\ntext\n");
    assertThat(bob.call("agentmail", "receive").out()).endsWith("\n\ntext\n");
    assertThat(bob.terminals("012").call("agentmail", "receive").out()).endsWith("\n\ntext\n");
  }

  @Test
  void doubleHyphen_endsOptions() throws Exception {
    String id = ann.call("agentmail", "send", "--", "bob", "-dash").line();
    ann.call("agentmail", "send", "bob", "--", "--help");
    ann.call("agentmail", "send", "--", "bob", "--");

    assertThat(bob.call("agentmail", "receive", "--").out())
        .isEqualTo("From: ann\nID: " + id + "\n\n-dash\n");
    assertThat(bob.call("agentmail", "receive").out()).endsWith("\n\n--help\n");
    assertThat(bob.call("agentmail", "receive").out()).endsWith("\n\n--\n");
    refuses(1, "recipient '-dash' not found", ann.call("agentmail", "send", "--", "-dash", "hi"));
  }

  @Test
  void oldestMessage_comesFirstAndSelfSendIsRefused() {
    ann.call("agentmail", "send", "bob", "one");
    refuses(1, "recipient not found", bob.call("agentmail", "send", "bob", "to myself"));
    ann.call("agentmail", "send", "bob", "two");

    assertThat(bob.call("agentmail", "receive").out())
        .startsWith("From: ann\n")
        .endsWith("\none\n");
    assertThat(bob.call("agentmail", "receive").out())
        .startsWith("From: ann\n")
        .endsWith("\ntwo\n");
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "-r bob -m hello",
        "-m hello bob",
        "-r bob hello",
        "--recipient bob --message hello",
        "-recipient=bob -m=hello",
        "--r=bob -m hello",
        "-r zoe -r bob -- hello",
        "-r bob -m hello --"
      })
  void namedArguments_areAcceptedAsByAgentMail(String words) {
    List<String> call = new ArrayList<>(List.of("agentmail", "send"));
    call.addAll(List.of(words.split(" ")));
    Result sent = ann.call(call.toArray(new String[0]));
    assertThat(sent.code()).as(sent.err()).isZero();
    assertThat(bob.call("agentmail", "receive").out()).endsWith("\n\nhello\n");
  }

  @Test
  void namedMessage_mayBeAnyTextOrPiped() {
    ann.call("agentmail", "send", "-r", "bob", "-m", "-r");
    ann.pipe("piped", "agentmail", "send", "-r", "bob");
    ann.pipe("by a dash", "agentmail", "send", "-r", "bob", "-");
    ann.call("agentmail", "send", "bob", "-m");
    for (String text : List.of("-r", "piped", "by a dash", "-m")) {
      assertThat(bob.call("agentmail", "receive").out()).endsWith("\n\n" + text + "\n");
    }
    refuses(1, "no option '-x'", ann.call("agentmail", "send", "-x", "bob", "hi"));
    refuses(1, "-m needs a value", ann.call("agentmail", "send", "-r", "bob", "-m"));
    refuses(1, "missing required", ann.call("agentmail", "send", "-m", "hello"));
    refuses(
        1,
        "put the message in quotes",
        ann.call("agentmail", "send", "-r", "bob", "-m", "hi", "more"));
  }

  @Test
  void windowsWithEqualName_shareMail() throws Exception {
    Terminal second = terminal(server.window("bob"));
    ann.call("agentmail", "send", "bob", "one");

    assertThat(second.call("agentmail", "receive").out()).endsWith("\none\n");
    assertThat(bob.call("agentmail", "receive").out()).isEqualTo("No unread messages\n");
  }

  @Test
  void renamedWindow_isNewRecipient() throws Exception {
    ann.call("agentmail", "send", "bob", "one");
    server.tmux("rename-window", "-t", "bob", "rob");

    refuses(1, "recipient 'bob' not found", ann.call("agentmail", "send", "bob", "two"));
    assertThat(bob.call("agentmail", "receive").out()).isEqualTo("No unread messages\n");
    server.tmux("rename-window", "-t", "rob", "bob");
    assertThat(bob.call("agentmail", "receive").out()).endsWith("\none\n");
  }

  @Test
  void outsideTmux_exitCodeIs2() throws Exception {
    Terminal outside = new Terminal(folder);
    Terminal gone = new Terminal(folder).with("TMUX", folder + "/gone,1,0").with("TMUX_PANE", "%0");
    Terminal noPane = terminal("%77");

    for (Terminal terminal : List.of(outside, gone, noPane)) {
      refuses(2, "tmux", terminal.call("agentmail", "send", "bob", "text"));
      refuses(2, "tmux", terminal.call("agentmail", "receive"));
    }
    assertThat(box).doesNotExist();
    ByteArrayOutputStream err = new ByteArrayOutputStream();
    Environment environment =
        Environment.of(
            Map.of(),
            InputStream.nullInputStream(),
            OutputStream.nullOutputStream(),
            err,
            folder,
            null);
    assertThat(AgentMailFace.refuse(environment, "an argument is not valid UTF-8")).isEqualTo(2);
    assertThat(err.toString(StandardCharsets.UTF_8)).contains("inside a tmux session");
  }

  @Test
  void remainingFailures_haveExitCode1() throws Exception {
    refuses(1, "missing required arguments", ann.call("agentmail", "send"));
    refuses(1, "no message provided", ann.call("agentmail", "send", "bob"));
    refuses(1, "no message provided", ann.call("agentmail", "send", "bob", ""));
    refuses(1, "no message provided", ann.call("agentmail", "send", "bob", " \n"));
    refuses(1, "put the message in quotes", ann.call("agentmail", "send", "bob", "two", "words"));
    refuses(1, "the windows are ann, bob", ann.call("agentmail", "send", "zoe", "text"));
    refuses(1, "unpaired surrogate", ann.call("agentmail", "send", "bob", "a\ud83d"));
    refuses(1, "no arguments, not '--hook'", ann.call("agentmail", "receive", "--hook"));
    refuses(1, "no command", ann.call("agentmail"));
    refuses(1, "unknown command 'recipients'", ann.call("agentmail", "recipients"));
    assertThat(box).doesNotExist();
    server.window("a/b");
    refuses(1, "contains a slash", ann.call("agentmail", "send", "a/b", "text"));
    Files.createDirectories(box);
    refuses(1, "is a folder or a device", ann.call("agentmail", "send", "bob", "text"));
    refuses(1, "is a folder or a device", bob.call("agentmail", "receive"));
  }

  @Test
  void help_printsUsage() {
    Result help = new Terminal(folder).call("agentmail", "--help");

    assertThat(help.out()).startsWith("usage: agentmail send <recipient> <message>");
    assertThat(help.code()).isZero();
    assertThat(new Terminal(folder).call("agentmail", "send", "-h")).isEqualTo(help);
    assertThat(new Terminal(folder).call("help").out()).contains(" agentmail,");
  }

  @Test
  void message_mayBePiped() {
    ann.pipe("two\nlines\n", "agentmail", "send", "bob");
    ann.pipe("by a dash", "agentmail", "send", "bob", "-");
    ann.pipe("not this", "agentmail", "send", "bob", "but this");

    refuses(1, "no message", ann.pipe("", "agentmail", "send", "bob"));
    refuses(1, "UTF-8", ann.pipe(new byte[] {'a', (byte) 0xff}, "agentmail", "send", "bob"));
    assertThat(bob.call("agentmail", "receive").out()).endsWith("\n\ntwo\nlines\n");
    assertThat(bob.call("agentmail", "receive").out()).endsWith("\n\nby a dash\n");
    assertThat(bob.call("agentmail", "receive").out()).endsWith("\n\nbut this\n");
  }

  @Test
  void controlCharacters_areEscapedAndStored() throws Exception {
    ann.call("agentmail", "send", "bob", ESCAPE);

    assertThat(Files.readString(box)).contains("\\u001b[31mred");
    assertThat(bob.call("agentmail", "receive").out())
        .endsWith("\n\n\\u001b[31mred\\u001b]0;title\\u0007 \\u202e\\u0085\n");
  }

  @Test
  void invalidBoxLine_isWarnedAbout() throws Exception {
    Files.createDirectories(box.getParent());
    Files.writeString(box, "\u001b[2Jgarbage\n");
    ann.call("agentmail", "send", "bob", "text");

    Result received = bob.call("agentmail", "receive");

    assertThat(received.out()).endsWith("\n\ntext\n");
    assertThat(received.err()).startsWith("warning: ").contains("line 1").doesNotContain("\u001b");
    assertThat(received.code()).isZero();
  }

  @Test
  void unreadOutput_leavesMessageUnread() {
    ann.call("agentmail", "send", "bob", "text");

    assertThat(bob.callUnheard("agentmail", "receive")).isEqualTo(1);
    assertThat(bob.call("agentmail", "receive").out()).endsWith("\n\ntext\n");
  }

  @Test
  void blockedReader_timesOutAfterFiveSeconds() throws Exception {
    ann.call("agentmail", "send", "bob", "text");
    CountDownLatch end = new CountDownLatch(1);
    OutputStream stuck =
        new OutputStream() {
          @Override
          public void write(int b) {
            write(new byte[0], 0, 0);
          }

          @Override
          public void write(byte[] bytes, int from, int length) {
            try {
              end.await();
            } catch (InterruptedException e) {
              Thread.currentThread().interrupt();
            }
          }
        };
    ByteArrayOutputStream err = new ByteArrayOutputStream();
    Map<String, String> variables = server.variables(server.pane("bob"));
    InputStream in = InputStream.nullInputStream();
    long begun = System.nanoTime();

    int code =
        AgentMailFace.run(
            List.of("receive"), Environment.of(variables, in, stuck, err, folder, null));

    assertThat(code).isEqualTo(1);
    assertThat(Duration.ofNanos(System.nanoTime() - begun)).isGreaterThan(Duration.ofSeconds(5));
    assertThat(err.toString(StandardCharsets.UTF_8)).contains("standard output accepted no data");
    end.countDown();
    assertThat(bob.call("agentmail", "receive").out()).endsWith("\n\ntext\n");
  }
}
