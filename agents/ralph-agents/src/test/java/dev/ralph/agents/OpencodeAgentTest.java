package dev.ralph.agents;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.sun.net.httpserver.HttpServer;
import dev.ralph.AgentResult;
import dev.ralph.AgentResult.Outcome;
import dev.ralph.core.internal.process.ProcessMark;
import dev.ralph.log.RalphException;
import dev.ralph.test.TestTurn;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.time.Duration;
import java.util.concurrent.Executors;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.locks.LockSupport;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Tests that need no opencode. */
class OpencodeAgentTest {

  /** Longer than the timeout of the first request to a server. */
  private static final Duration SLOW = Duration.ofMillis(2_200);

  @TempDir private Path folder;

  @ParameterizedTest
  @ValueSource(booleans = {true, false})
  void missingProgram_isFatalWithInstallCommand(boolean withServer) throws Exception {
    OpencodeAgent.Builder agent =
        OpencodeAgent.builder()
            .program(folder.resolve("opencode").toString())
            .port(OpencodeSandbox.freePort());

    AgentResult result = run(withServer ? agent : agent.withoutServer());

    assertThat(result.outcome()).isEqualTo(Outcome.FATAL);
    assertThat(result.summary()).contains("no such file").contains("npm install -g opencode-ai");
  }

  @Test
  void foreignServerOnPort_isNamedAndNeverCalled() throws Exception {
    AtomicInteger asked = new AtomicInteger();
    HttpServer stranger =
        HttpServer.create(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), 0);
    stranger.createContext(
        "/",
        exchange -> {
          asked.incrementAndGet();
          exchange.sendResponseHeaders(200, -1);
          exchange.close();
        });
    stranger.start();
    int port = stranger.getAddress().getPort();

    try {
      AgentResult result = run(OpencodeAgent.builder().program("/bin/false").port(port));

      assertThat(result.outcome()).isEqualTo(Outcome.FATAL);
      assertThat(result.summary()).contains("port " + port).contains("--port");
      assertThat(asked).hasValue(0);
    } finally {
      stranger.stop(0);
    }
  }

  @Test
  void serverExitingAtStart_isFatalWithReason() throws Exception {
    AgentResult result =
        run(OpencodeAgent.builder().program("/bin/ls").port(OpencodeSandbox.freePort()));

    assertThat(result.outcome()).isEqualTo(Outcome.FATAL);
    assertThat(result.summary()).contains("exit code 2").contains("serve");
  }

  /** Simulates an overloaded machine. The result of the session is irrelevant. */
  @Test
  void slowServer_isAwaited() throws Exception {
    HttpServer server =
        HttpServer.create(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), 0);
    server.setExecutor(Executors.newCachedThreadPool());
    answer(server, "/global/health", "{\"healthy\":true}", Duration.ZERO);
    answer(server, "/session/status", "{}", SLOW);
    answer(server, "/session", "{\"id\":\"one\"}", Duration.ZERO);
    server.start();
    Path program =
        Files.writeString(
            folder.resolve("opencode"),
            "#!/bin/sh\n[ $1 = serve ] || exit 7\n"
                + "echo listening on http://127.0.0.1:"
                + server.getAddress().getPort()
                + "\nexec sleep 300\n");
    Files.setPosixFilePermissions(program, PosixFilePermissions.fromString("rwx------"));
    try {
      AgentResult result = run(OpencodeAgent.builder().program(program.toString()).port(0));
      assertThat(result.summary()).contains("exit code 7");
    } finally {
      server.stop(0);
    }
  }

  private static void answer(HttpServer server, String path, String answer, Duration after) {
    server.createContext(
        path,
        exchange -> {
          LockSupport.parkNanos(after.toNanos());
          byte[] bytes = answer.getBytes(StandardCharsets.UTF_8);
          exchange.sendResponseHeaders(200, bytes.length);
          exchange.getResponseBody().write(bytes);
          exchange.close();
        });
  }

  @Test
  void server_getsOnlySharedVariables() throws Exception {
    Path program = Files.writeString(folder.resolve("opencode"), "#!/bin/sh\nenv >\"$1\"\n");
    Files.setPosixFilePermissions(program, PosixFilePermissions.fromString("rwx------"));
    try (OpencodeAgent agent = OpencodeAgent.builder().program(program.toString()).build()) {
      agent.run(turn().variable("RALPH_STORE", "/a/store").variable("RALPH_STORY", "2"));
    }
    assertThat(Files.readAllLines(folder.resolve("serve")))
        .contains("RALPH_SESSION=test", "RALPH_STORE=/a/store")
        .noneMatch(line -> line.startsWith("RALPH_STORY"));
  }

  @Test
  void failingClient_isFailureWithLastLines() {
    AgentResult result = run(OpencodeAgent.builder().program("/bin/ls").withoutServer());

    assertThat(result.outcome()).isEqualTo(Outcome.FAILURE);
    assertThat(result.summary()).contains("exit code 2").contains("ls:");
  }

  @Test
  void silentClient_isFailure() {
    AgentResult result = run(OpencodeAgent.builder().program("/bin/true").withoutServer());

    assertThat(result.outcome()).isEqualTo(Outcome.FAILURE);
    assertThat(result.summary()).contains("without an answer");
  }

  @Test
  void closedAgent_isRejected() {
    OpencodeAgent agent = OpencodeAgent.builder().build();
    agent.close();

    assertThatThrownBy(() -> agent.run(turn()))
        .isInstanceOfSatisfying(
            RalphException.class, e -> assertThat(e.code()).isEqualTo(RalphException.Code.CLOSED));
  }

  @ParameterizedTest
  @ValueSource(ints = {-1, 65_536})
  void invalidPort_isRejected(int port) {
    assertThatThrownBy(() -> OpencodeAgent.builder().port(port))
        .isInstanceOf(RalphException.class)
        .hasMessageContaining(String.valueOf(port));
  }

  private AgentResult run(OpencodeAgent.Builder builder) {
    try (OpencodeAgent agent = builder.build()) {
      return agent.run(turn());
    }
  }

  private TestTurn turn() {
    return TestTurn.inMemory()
        .prompt("prompt")
        .directory(folder)
        .processMark(ProcessMark.unique().text())
        .timeLimit(Duration.ofSeconds(60));
  }
}
