package dev.ralph.cli;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import dev.ralph.cli.Checkout.Exit;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** Runs {@code ralph serve} and {@code ralph token} as processes. */
@Timeout(600)
class ServeIT {

  private static final ObjectMapper JSON = new ObjectMapper();

  @TempDir Path folder;
  private final HttpClient client = HttpClient.newHttpClient();
  private Checkout checkout;

  @BeforeEach
  void makeACheckout() throws Exception {
    checkout = Checkout.shared(folder);
    checkout.ralph("task", "add", "-n", "auth", "--create", "one");
  }

  @AfterEach
  void clear() {
    checkout.clear();
    assertThat(checkout.left()).isEmpty();
  }

  @Test
  void server_answersUntilSignal() throws Exception {
    Process server = checkout.talkTo("serve", "--json");
    try {
      JsonNode said = JSON.readTree(server.inputReader(StandardCharsets.UTF_8).readLine());
      URI link = URI.create(said.path("link").asText());
      assertThat(link.getFragment()).startsWith("code=ralph_");

      HttpRequest page = HttpRequest.newBuilder(link).build();
      assertThat(client.send(page, HttpResponse.BodyHandlers.ofString()).statusCode())
          .isEqualTo(200);

      String token = checkout.ralph("token", "add", "box", "-n", "auth").out().strip();
      URI mcp = URI.create(said.path("mcp").asText());
      assertThat(list(mcp, token)).isEqualTo(200);

      assertThat(checkout.ralph("token", "revoke", "box").code()).isZero();
      assertThat(list(mcp, token)).isEqualTo(401);

      server.destroy();
      assertThat(server.waitFor(1, TimeUnit.MINUTES)).isTrue();
      assertThat(server.exitValue()).isEqualTo(143);
    } finally {
      server.destroyForcibly().waitFor();
    }
  }

  private int list(URI mcp, String token) throws Exception {
    HttpRequest request =
        HttpRequest.newBuilder(mcp)
            .header("Authorization", "Bearer " + token)
            .header("Content-Type", "application/json")
            .header("MCP-Protocol-Version", "2026-07-28")
            .header("Mcp-Method", "tools/list")
            .POST(
                HttpRequest.BodyPublishers.ofString(
                    "{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"tools/list\",\"params\":{\"_meta\":"
                        + "{\"io.modelcontextprotocol/protocolVersion\":\"2026-07-28\","
                        + "\"io.modelcontextprotocol/clientCapabilities\":{}}}}"))
            .build();
    return client.send(request, HttpResponse.BodyHandlers.ofString()).statusCode();
  }

  @Test
  void publicAddress_requiresInsecureOption() throws Exception {
    Exit exit = checkout.ralph("serve", "--bind", "0.0.0.0");

    assertThat(exit.code()).isEqualTo(2);
    assertThat(exit.err()).contains("can read the tokens", "--insecure");
    assertThat(checkout.ralph("serve", "--bind", "example.org").err())
        .contains("--bind takes an address");
  }

  @Test
  void tokens_areAddedListedAndRevoked() throws Exception {
    assertThat(checkout.ralph("token", "list").out()).isEqualTo("No tokens yet\n");
    assertThat(checkout.ralph("token", "add", "ann", "--read-only").out())
        .matches("ralph_[\\w-]{43}\n");
    assertThat(checkout.ralph("token", "add", "ann").err()).contains("token ann");
    assertThat(checkout.ralph("token", "list").out()).startsWith("ann: read-only, since ");

    assertThat(checkout.ralph("token", "revoke", "ann").out()).isEqualTo("Token of ann revoked\n");
    assertThat(checkout.ralph("token", "revoke", "ann").err())
        .contains("no token named", "no tokens exist");
    assertThat(checkout.ralph("token", "add", "box", "-n", "auth", "--read-only").code())
        .isEqualTo(2);
  }
}
