package dev.ralph.cli;

import static org.assertj.core.api.Assertions.assertThat;

import dev.ralph.cli.Checkout.Exit;
import dev.ralph.mail.TmuxServer;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** Runs AgentMail's commands as agents do, in tmux windows. */
@Timeout(600)
class AgentMailIT {

  @TempDir static Path common;
  private static Checkout shared;
  private static Path command;

  @TempDir Path folder;
  @TempDir Path sockets;
  private Checkout checkout;
  private TmuxServer server;

  @BeforeAll
  static void makeACheckout() throws Exception {
    shared = Checkout.shared(common);
    command = Files.createSymbolicLink(common.resolve("agentmail"), shared.launcher());
  }

  @BeforeEach
  void start() throws Exception {
    checkout = shared.elsewhere("at " + System.nanoTime());
    server = TmuxServer.in(sockets, "ann");
    server.window("bob");
    assertThat(checkout.shell("git init -q .").code()).isZero();
  }

  @AfterEach
  void end() throws Exception {
    server.end();
  }

  private Exit agentmail(Map<String, String> variables, String... words) throws Exception {
    List<String> all = new ArrayList<>(List.of(command.toString()));
    all.addAll(List.of(words));
    return checkout.run(variables, all.toArray(new String[0]));
  }

  /** Types a command into a window, and returns its output and exit code. */
  private String type(String window, String words) throws Exception {
    Path said = folder.resolve("said " + System.nanoTime());
    server.tmux(
        "send-keys",
        "-t",
        window,
        "cd '%s'; JAVA_HOME='%s' XDG_CACHE_HOME='%s' '%s' %s >'%s' 2>&1; echo \" [$?]\" >>'%s'; tmux wait -S done"
            .formatted(
                checkout.work(),
                System.getProperty("java.home"),
                checkout.cache(),
                command,
                words,
                said,
                said),
        "Enter");
    server.tmux("wait-for", "done");
    return Files.readString(said);
  }

  @Test
  void agentsInTwoWindows_exchangeMail() throws Exception {
    assertThat(type("ann", "send bob 'Is the API stable?'")).matches("\\w{8}\n \\[0]\n");
    assertThat(type("bob", "receive"))
        .matches("From: ann\nID: \\w{8}\n\nIs the API stable\\?\n \\[0]\n");
    assertThat(type("bob", "send ann 'Since Monday.'")).matches("\\w{8}\n \\[0]\n");
    assertThat(type("ann", "receive"))
        .startsWith("From: bob\n")
        .endsWith("\n\nSince Monday.\n [0]\n");
    assertThat(type("ann", "receive")).isEqualTo("No unread messages\n [0]\n");
    assertThat(type("ann", "send zoe text")).contains("'zoe' not found").endsWith(" [1]\n");
  }

  @Test
  void failures_haveAgentMailExitCodes() throws Exception {
    Map<String, String> bob = server.variables(server.pane("bob"));

    assertThat(agentmail(Map.of(), "receive").code()).isEqualTo(2);
    assertThat(agentmail(bob, "send").code()).isEqualTo(1);
    assertThat(agentmail(bob, "nonsense").code()).isEqualTo(1);
    assertThat(
            checkout.run(Map.of(), checkout.launcher().toString(), "agentmail", "receive").code())
        .isEqualTo(2);
    Exit notUtf8 =
        checkout.run(bob, "sh", "-c", "'" + command + "' send ann \"$(printf 'a\\377')\"");
    assertThat(notUtf8.err()).startsWith("error: ").contains("UTF-8");
    assertThat(notUtf8.code()).isEqualTo(1);
    Map<String, String> noJava = Map.of("JAVA_HOME", "/nowhere");
    assertThat(agentmail(noJava, "receive").code()).isEqualTo(1);
  }

  @Test
  void gitCeilingDirectory_hidesRepositoryAbove() throws Exception {
    Map<String, String> bob = new HashMap<>(server.variables(server.pane("bob")));
    bob.put("GIT_CEILING_DIRECTORIES", checkout.work().toString());
    Files.createDirectory(checkout.work().resolve("below"));
    String receive = "cd below && '" + command + "' receive";

    assertThat(checkout.run(bob, "sh", "-c", receive).err())
        .contains("not in a git repository")
        .contains("below");
    bob.put("GIT_CEILING_DIRECTORIES", common.toString());
    assertThat(checkout.run(bob, "sh", "-c", receive).err()).doesNotContain("repository");
  }

  @Test
  void windowUnknownToTmux_isRefused() throws Exception {
    Path bin = Files.createDirectory(folder.resolve("bin"));
    Path tmux = Files.writeString(bin.resolve("tmux"), "#!/bin/sh\necho orphan; echo ann\n");
    assertThat(tmux.toFile().setExecutable(true)).isTrue();

    Exit refused =
        agentmail(Map.of("TMUX", "x", "PATH", bin + ":" + System.getenv("PATH")), "receive");

    assertThat(refused.err())
        .isEqualTo("error: current window 'orphan' not found in tmux session\n");
    assertThat(refused.code()).isEqualTo(1);
  }

  @Test
  void unreadPipe_leavesMessageUnread() throws Exception {
    Map<String, String> bob = server.variables(server.pane("bob"));
    String text = "x".repeat(100_000);
    Path file = checkout.file("text", text);
    Map<String, String> ann = server.variables(server.pane("ann"));
    Exit sent = checkout.run(ann, "sh", "-c", "'" + command + "' send bob <" + file.getFileName());
    assertThat(sent.code()).as(sent.err()).isZero();

    Exit unread =
        checkout.run(
            bob,
            "sh",
            "-c",
            "mkfifo pipe; (exec 3<pipe; while [ ! -s code ]; do sleep 0.1; done) & '"
                + command
                + "' receive >pipe; echo $? >code; wait");

    assertThat(unread.err()).contains("standard output accepted no data for 5 s");
    assertThat(Files.readString(checkout.work().resolve("code"))).isEqualTo("1\n");
    assertThat(agentmail(bob, "receive").out()).endsWith("\n\n" + text + "\n");
  }
}
