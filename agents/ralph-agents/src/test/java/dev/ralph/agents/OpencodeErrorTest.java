package dev.ralph.agents;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.ralph.AgentResult.Outcome;
import dev.ralph.agents.internal.ClientName;
import java.time.Duration;
import java.time.Instant;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class OpencodeErrorTest {

  private static final Instant NOW = Instant.parse("2026-01-01T00:00:00Z");

  @ParameterizedTest
  @CsvSource({
    "APIError, 401, FATAL",
    "APIError, 403, FATAL",
    "ProviderAuthError, 0, FATAL",
    "APIError, 429, RATE_LIMITED",
    "APIError, 529, RATE_LIMITED",
    "APIError, 400, FAILURE",
    "APIError, 500, FAILURE",
    "APIError, 0, FAILURE",
    "UnknownError, 0, FAILURE",
    "MessageAbortedError, 0, FAILURE",
    "ContextOverflowError, 0, FATAL",
  })
  void errors_areDistinguished(String name, int status, Outcome outcome) {
    ModelError error = read(error(name, status));

    assertThat(error.result(ClientName.OPENCODE, false).outcome()).isEqualTo(outcome);
    assertThat(error.result(ClientName.OPENCODE, false).summary())
        .contains("what the provider said");
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      value = {
        "retry-after | 7 | 7000",
        "Retry-After | 7 | 7000",
        "retry-after | 0.5 | 500",
        "retry-after-ms | 250 | 250",
        "retry-after | Thu, 1 Jan 2026 00:01:00 GMT | 60000",
        "retry-after | Wed, 31 Dec 2025 00:00:00 GMT | 0",
      })
  void retryDelay_isReadInEveryFormat(String header, String value, long millis) {
    assertThat(retryAfter(header, value)).isEqualTo(Duration.ofMillis(millis));
  }

  @ParameterizedTest
  @CsvSource({"retry-after, soon", "retry-after, -5", "retry-after, NaN", "other, 7"})
  void invalidRetryDelay_isUnknown(String header, String value) {
    assertThat(retryAfter(header, value)).isNull();
  }

  @Test
  void unknownError_namesModel() {
    assertThat(read(error("UnknownError", 0)))
        .extracting(error -> error.result(ClientName.OPENCODE, false).summary())
        .asString()
        .contains("is the model a/model known?");
    assertThat(OpencodeEvents.hint(null)).contains("is the model known?");
  }

  @Test
  void emptyError_hasReason() {
    ModelError error = read(ScriptedModelServer.JSON.createObjectNode());

    assertThat(error.result(ClientName.OPENCODE, false).summary()).contains("no reason given");
  }

  private static Duration retryAfter(String header, String value) {
    ObjectNode error = error("APIError", 429);
    error.withObject("/data/responseHeaders").put(header, value);
    return read(error).result(ClientName.OPENCODE, false).retryAfter();
  }

  private static ModelError read(ObjectNode error) {
    return OpencodeEvents.error(error, NOW, OpencodeEvents.hint("a/model"));
  }

  private static ObjectNode error(String name, int status) {
    ObjectNode error = ScriptedModelServer.JSON.createObjectNode().put("name", name);
    ObjectNode data = error.putObject("data").put("message", "what the provider said");
    if (status != 0) {
      data.put("statusCode", status);
    }
    return error;
  }
}
