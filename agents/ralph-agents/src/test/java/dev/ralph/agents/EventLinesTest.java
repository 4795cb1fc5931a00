package dev.ralph.agents;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

class EventLinesTest {

  private static final String MESSAGE = "{\"jsonrpc\":\"2.0\",\"id\":1,\"result\":{\"a\":{}}}";

  private final List<String> events = new ArrayList<>();
  private final List<String> others = new ArrayList<>();
  private final EventLines lines =
      new EventLines(event -> events.add(event.toString()), others::add);

  @ParameterizedTest
  @ValueSource(
      strings = {
        "debug: ",
        "[INFO] {x} ",
        "\u001b[0m",
        "\uFEFF",
        "{\"level\":\"info\"",
        "a{b{c{d{",
        "null "
      })
  void noiseBeforeMessage_isReportedSeparately(String noise) {
    lines.accept(noise + MESSAGE + "\n");

    assertThat(events).containsExactly(MESSAGE);
    assertThat(others).containsExactly(noise.stripTrailing());
  }

  @ParameterizedTest
  @ValueSource(
      strings = {"see {\"type\":\"result\"}", "{{{{{{{{{{{{{{{{", "x {\"jsonrpc\":", "[1]"})
  void linesWithoutMessage_arePlainOutput(String line) {
    lines.accept(line + "\n");

    assertThat(events).isEmpty();
    assertThat(others).containsExactly(line);
  }

  @ParameterizedTest
  @CsvSource({"1, true", "1.0, true", "'\"1\"', true", "1e0, true", "2, false", "1.5, false"})
  void idOfAnAnswer_isANumberOrAText(String id, boolean expected) throws Exception {
    JsonNode answer = ScriptedModelServer.JSON.readTree("{\"result\":{},\"id\":" + id + "}");
    try (AcpInput input = new AcpInput()) {
      AcpRequests requests = new AcpRequests(input);
      requests.ask("initialize", AcpRequests.object(), null, any -> {});

      assertThat(requests.answeredBy(answer) != null).isEqualTo(expected);
    }
  }

  @ParameterizedTest
  @CsvSource({
    "Session limit reached ∙ resets 6pm, RATE_LIMITED",
    "5-hour limit reached, RATE_LIMITED",
    "Weekly limit reached ∙ resets Oct 3, RATE_LIMITED",
    "Opus limit reached, RATE_LIMITED",
    "Claude AI usage limit reached|1700000000, RATE_LIMITED",
    "You've hit your limit · resets 3pm, RATE_LIMITED",
    "Context limit reached, PROMPT_TOO_LONG",
    "Output token limit reached, MODEL_ERROR",
    "no limit, MODEL_ERROR",
  })
  void limitsOfSubscriptions_areKnownByTheirWords(String message, String cause) {
    assertThat(ModelError.of(0, message, null).cause()).hasToString(cause);
  }
}
