package dev.ralph.agents;

import com.fasterxml.jackson.databind.JsonNode;
import dev.ralph.AgentResult;
import dev.ralph.AgentResult.Cause;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * Why an agent could not do what it was asked for.
 *
 * @param isLogIn whether the agent itself says that it has to be logged in
 * @param status the HTTP status of its model's provider, or 0 where that is not told
 */
record AcpError(boolean isLogIn, int status, String said) {

  private static final int NOT_LOGGED_IN = -32000;
  private static final Pattern STATUS = Pattern.compile("\\b([45]\\d\\d)\\b");

  /** What providers say of a key that they refuse; hardly an agent hands the status on. */
  private static final Pattern KEY =
      Pattern.compile(
          "api.?key|unauthori[sz]ed|authenticat|not logged in", Pattern.CASE_INSENSITIVE);

  /** Reads the error that an agent answers with: what it says besides may be all that it says. */
  static AcpError of(JsonNode error) {
    JsonNode data = error.path("data");
    String message = error.path("message").asText("").strip();
    String more =
        data.isTextual()
            ? data.asText()
            : data.path("message").asText(data.path("details").asText(""));
    String all = more.isBlank() || message.contains(more) ? message : message + ": " + more;
    String said = all.replaceAll("\\s+", " ").strip(); // an agent may add the trace of its stack
    int status = data.path("status").asInt(data.path("statusCode").asInt(0));
    return new AcpError(
        error.path("code").asInt() == NOT_LOGGED_IN, status == 0 ? statusIn(said) : status, said);
  }

  /** Returns an error that has nothing but words. */
  static AcpError inWords(String said) {
    return new AcpError(false, statusIn(said), said);
  }

  private static int statusIn(String said) {
    Matcher status = STATUS.matcher(said);
    return status.find() ? Integer.parseInt(status.group(1)) : 0;
  }

  /**
   * Returns what a turn comes to that ended so.
   *
   * @param method what the agent was asked for
   * @param logIn how to log in
   * @param hadAnswers whether its model had answered before
   */
  AgentResult result(ClientName client, String method, String logIn, boolean hadAnswers) {
    ModelError error = ModelError.of(status, said, RetryAfter.ofWords(said));
    if (isLogIn || status == 0 && KEY.matcher(said).find()) {
      error = error.as(Cause.NOT_LOGGED_IN);
    }
    if (error.cause() == Cause.MODEL_ERROR && !method.equals("session/prompt")) {
      return AgentResult.failure(client.name() + " did not do " + method + ": " + error.said());
    }
    return error.result(client.withLogIn(logIn), hadAnswers);
  }
}
