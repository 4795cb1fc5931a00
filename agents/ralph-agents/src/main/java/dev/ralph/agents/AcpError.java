package dev.ralph.agents;

import com.fasterxml.jackson.databind.JsonNode;
import dev.ralph.AgentResult;
import dev.ralph.AgentResult.Cause;
import dev.ralph.agents.internal.ClientName;
import java.util.List;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * The reason why an agent could not execute a request.
 *
 * @param isLogIn whether the agent reports a missing login
 * @param status the HTTP status of the model provider, or 0 if unknown
 */
record AcpError(boolean isLogIn, int status, String message) {

  private static final int NOT_LOGGED_IN = -32000;
  private static final Pattern STATUS = Pattern.compile("\\b([45]\\d\\d)\\b");
  private static final Pattern HTTP_STATUS = Pattern.compile("HTTP ([45]\\d\\d)\\b");

  /** Matches a provider's text about a rejected key, because few agents pass on the HTTP status. */
  private static final Pattern KEY =
      Pattern.compile(
          "api.?key|unauthori[sz]ed|authenticat|not logged in", Pattern.CASE_INSENSITIVE);

  /** Parses an error response. The data may contain more details than the message. */
  static AcpError of(JsonNode error) {
    JsonNode data = error.path("data");
    String message = error.path("message").asText("").strip();
    String more =
        data.isTextual()
            ? data.asText()
            : data.path("message").asText(data.path("details").asText(""));
    String all = more.isBlank() || message.contains(more) ? message : message + ": " + more;
    String text = all.replaceAll("\\s+", " ").strip(); // some agents append a stack trace
    int status = data.path("status").asInt(data.path("statusCode").asInt(0));
    return new AcpError(
        error.path("code").asInt() == NOT_LOGGED_IN, status == 0 ? statusIn(text) : status, text);
  }

  /** Returns an error that consists of a text only. */
  static AcpError inWords(String message) {
    return new AcpError(false, statusIn(message), message);
  }

  /** Returns the HTTP status in a text, or 0. A number may also be a port or a time. */
  private static int statusIn(String said) {
    for (Pattern pattern : List.of(HTTP_STATUS, STATUS)) {
      Matcher status = pattern.matcher(said);
      if (status.find()) {
        return Integer.parseInt(status.group(1));
      }
    }
    return 0;
  }

  /**
   * Returns the result of a turn that ended with this error.
   *
   * @param method the failed method
   * @param logIn the login instructions
   * @param hadAnswers whether the model had answered before
   */
  AgentResult result(ClientName client, String method, String logIn, boolean hadAnswers) {
    ModelError error = ModelError.of(status, message, RetryAfter.ofWords(message));
    if (isLogIn || status == 0 && KEY.matcher(message).find()) {
      error = error.as(Cause.NOT_LOGGED_IN);
    }
    if (error.cause() == Cause.MODEL_ERROR && !method.equals("session/prompt")) {
      return AgentResult.failure(client.name() + " failed at " + method + ": " + error.text());
    }
    return error.result(client.withLogIn(logIn), hadAnswers);
  }
}
