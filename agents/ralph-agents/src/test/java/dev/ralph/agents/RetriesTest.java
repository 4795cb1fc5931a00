package dev.ralph.agents;

import static org.assertj.core.api.Assertions.assertThat;

import dev.ralph.agents.internal.ClientName;
import java.time.Duration;
import java.util.Optional;
import org.junit.jupiter.api.Test;

/** When to stop waiting for the model of a client that does not number its retries. */
class RetriesTest {

  private static final Duration SHORT = Duration.ofSeconds(5);
  private static final ModelError BROKEN = ModelError.of(500, "broken", null);
  private static final ModelError REFUSED = ModelError.of(401, "bad key", null);

  private final Retries retries = new Retries();

  private String news() {
    return retries.news().map(retry -> retry.describe(ClientName.CLAUDE)).orElse("");
  }

  @Test
  void eachFailure_isCountedAndReportedOnce() {
    retries.failed(BROKEN, SHORT);
    assertThat(news())
        .isEqualTo("the model failed: broken (HTTP 500); Claude Code retries (attempt 1, in 5 s)");
    assertThat(news()).isEmpty();
    retries.failed(BROKEN, null);
    assertThat(news()).endsWith("(attempt 2)");
    assertThat(retries.last()).isEqualTo(BROKEN);
  }

  @Test
  void answer_resetsCount() {
    retries.failed(REFUSED, SHORT);
    retries.failed(REFUSED, SHORT);
    retries.answered();
    assertThat(retries.last()).isNull();
    assertThat(retries.hopeless(true)).isEmpty();
    retries.failed(REFUSED, SHORT);
    assertThat(retries.hopeless(true)).isEmpty();
    assertThat(news()).contains("(attempt 1, ");
  }

  @Test
  void keyRejectedThreeTimes_isHopeless() {
    retries.failed(REFUSED, SHORT);
    retries.failed(REFUSED, SHORT);
    assertThat(retries.hopeless(false)).isEmpty();
    retries.failed(REFUSED, SHORT);
    assertThat(retries.hopeless(false)).contains(REFUSED.waiting(SHORT));
  }

  @Test
  void repeatedFailure_isHopelessUnderTimeLimit() {
    for (int i = 0; i < 3; i++) {
      retries.failed(BROKEN, SHORT);
    }
    assertThat(retries.hopeless(false)).isEmpty();
    assertThat(retries.hopeless(true)).contains(BROKEN.waiting(SHORT));
  }

  @Test
  void longRetryDelay_isRateLimit() {
    Duration hour = Duration.ofHours(1);
    retries.failed(BROKEN, hour);
    Optional<ModelError> hopeless = retries.hopeless(false);
    assertThat(hopeless.map(ModelError::cause)).contains(dev.ralph.AgentResult.Cause.RATE_LIMITED);
    assertThat(hopeless.map(ModelError::retryAfter)).contains(hour);
  }

  @Test
  void tooLongPrompt_isHopelessImmediately() {
    ModelError tooLong = ModelError.of(413, "too long", null);
    retries.failed(tooLong, null);
    assertThat(retries.hopeless(false)).contains(tooLong);
  }
}
