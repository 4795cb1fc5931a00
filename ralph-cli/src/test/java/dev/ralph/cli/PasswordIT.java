package dev.ralph.cli;

import static org.assertj.core.api.Assertions.assertThat;

import dev.ralph.cli.Checkout.Exit;
import dev.ralph.store.postgres.PostgresServer;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.HashMap;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.condition.EnabledOnOs;
import org.junit.jupiter.api.condition.OS;
import org.junit.jupiter.api.io.TempDir;

/** A loop whose store requires a password, and its agent, which does not have the password. */
@EnabledOnOs(value = OS.LINUX, architectures = "amd64") // the test server's platform
@Timeout(value = 10, unit = TimeUnit.MINUTES)
class PasswordIT {

  private static final String PASSWORD = "sesame-7Jq0";

  /** Uses the loop's store without any connection data of the database server. */
  private static final String AGENT =
      """
      set -e
      unset PGPASSFILE
      env >environment
      ps -A -o args >processes
      "$RALPH" task done t1
      "$RALPH" note add --type learning 'It is a sesame'
      "$RALPH" mail send bob --as ann hello
      "$RALPH" mail receive --as bob
      "$RALPH" ask 'Which seed?'
      "$RALPH" status >status
      printf '%s\\n' \
        '{"jsonrpc":"2.0","id":1,"method":"initialize","params":{"protocolVersion":"2025-06-18",\
      "capabilities":{},"clientInfo":{"name":"a","version":"1"}}}' \
        '{"jsonrpc":"2.0","method":"notifications/initialized"}' \
        '{"jsonrpc":"2.0","id":2,"method":"tools/call","params":{"name":"task_list","arguments":{}}}' |
        "$RALPH" mcp >mcp
      """;

  @TempDir Path folder;
  private Checkout checkout;

  @AfterEach
  void clear() throws Exception {
    checkout.clear();
    checkout.awaitArchives();
  }

  @Test
  void agentOfPostgresLoop_needsNoPassword() throws Exception {
    PostgresServer server = PostgresServer.shared();
    server.addRole("team", PASSWORD);
    Path passwords = folder.resolve("pgpass");
    Files.writeString(passwords, "127.0.0.1:" + server.port() + ":*:team:" + PASSWORD + "\n");
    Files.setPosixFilePermissions(passwords, PosixFilePermissions.fromString("rw-------"));
    String store = "postgres://team@127.0.0.1:" + server.port() + "/postgres?schema=it";
    checkout =
        Checkout.shared(folder)
            .with("RALPH_STORE", store)
            .with("RALPH_SESSION", "a")
            .with("PGPASSFILE", passwords.toString());
    checkout.file("agent.sh", AGENT);
    assertThat(checkout.ralph("task", "add", "--create", "Plant it").code()).isZero();

    Exit exit = checkout.ralph("build", "-p", "x", "--agent", "sh agent.sh", "-i", "1");

    assertThat(exit.code()).as(exit.out() + exit.err()).isEqualTo(3);
    Map<String, String> variables = new HashMap<>();
    for (String line : Files.readAllLines(checkout.work().resolve("environment"))) {
      int equals = line.indexOf('=');
      variables.put(line.substring(0, Math.max(0, equals)), line.substring(equals + 1));
    }
    String address = variables.get("RALPH_STORE");
    assertThat(address).startsWith("socket:///");
    assertThat(variables.values()).noneMatch(each -> each.contains(PASSWORD));
    assertThat(checkout.work().resolve("processes")).content().doesNotContain(PASSWORD);
    assertThat(checkout.work().resolve("mcp")).content().contains("Plant it");
    assertThat(checkout.work().resolve("status")).content().contains("running");
    assertThat(checkout.ralph("task", "show", "t1").out()).contains("completed");
    assertThat(checkout.ralph("notes").out()).contains("It is a sesame");
    assertThat(checkout.ralph("questions").out()).contains("Which seed?");

    // The folder of the socket is deleted when the loop ends.
    assertThat(Path.of(address.substring("socket://".length())).getParent()).doesNotExist();
    Exit late = checkout.ralph("tasks", "--store", address);
    assertThat(late.code()).isEqualTo(1);
    assertThat(late.err())
        .startsWith("ralph: no process serves a store at " + address)
        .hasLineCount(1);
  }
}
