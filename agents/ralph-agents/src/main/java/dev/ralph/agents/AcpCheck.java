package dev.ralph.agents;

import com.fasterxml.jackson.databind.JsonNode;
import dev.ralph.agents.internal.ClientName;
import dev.ralph.core.internal.process.ManagedProcess;
import dev.ralph.core.internal.process.ProcessSpec;
import dev.ralph.log.RalphException;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.atomic.AtomicReference;
import org.jspecify.annotations.Nullable;

/**
 * Queries the name and version of a program that speaks the Agent Client Protocol. See {@link
 * AcpAgent#query}.
 */
final class AcpCheck {

  private static final Duration LIMIT = Duration.ofSeconds(20);
  private static final Duration POLL_INTERVAL = Duration.ofMillis(100);

  private AcpCheck() {}

  static String ask(List<String> command) throws InterruptedException {
    ClientName client = ClientName.of(command.get(0));
    AtomicReference<@Nullable JsonNode> answer = new AtomicReference<>();
    EventLines lines =
        new EventLines(
            message -> {
              if (message.has("result") || message.has("error")) {
                answer.compareAndSet(null, message);
              }
            },
            noise -> {});
    OutputTail stderr = new OutputTail();
    ProcessSpec.Builder spec =
        ProcessSpec.command(command).talks().onStdout(lines).onStderr(stderr::accept);
    try (AcpInput input = new AcpInput();
        ManagedProcess process = ManagedProcess.start(spec.build())) {
      input.to(process.stdin());
      input.add(AcpRequests.request(1, AcpConversation.INITIALIZE, AcpConversation.introduction()));
      long end = System.nanoTime() + LIMIT.toNanos();
      boolean ended = false;
      while (answer.get() == null && !ended && System.nanoTime() - end < 0) {
        ended = process.await(POLL_INTERVAL).isPresent();
      }
      return words(client, answer.get(), stderr);
    }
  }

  private static String words(ClientName client, @Nullable JsonNode answer, OutputTail stderr) {
    if (answer == null || answer.has("error")) {
      throw RalphException.invalid(
          client.name()
              + (answer == null
                  ? " did not answer initialize" + stderr.afterColon()
                  : " rejected initialize: " + AcpError.of(answer.path("error")).message()));
    }
    JsonNode result = answer.path("result");
    String other = AcpConversation.otherVersion(client, result);
    if (other != null) {
      throw RalphException.invalid(other);
    }
    JsonNode info = result.path("agentInfo");
    String name = info.path("title").asText(info.path("name").asText(client.name()));
    return name
        + " "
        + info.path("version").asText("of unknown version")
        + "; to log in: "
        + AcpConversation.logIn(result.path("authMethods"));
  }
}
