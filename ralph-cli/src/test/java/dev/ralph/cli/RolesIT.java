package dev.ralph.cli;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import dev.ralph.cli.Checkout.Exit;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** Three agents: one creates tasks from a spec, one completes the tasks, one reports a fault. */
@Timeout(value = 10, unit = TimeUnit.MINUTES)
class RolesIT {

  @TempDir static Path folder;
  private Checkout checkout;

  @AfterEach
  void clear() {
    checkout.clear();
  }

  @Test
  void plannerBuilderAndReviewer_alternateUntilDone() throws Exception {
    checkout = Checkout.shared(folder).elsewhere("roles").with("RALPH_SESSION", "a");
    checkout.file(
        "plan.sh",
        """
        "$RALPH" task add one
        "$RALPH" task add two
        """);
    checkout.file(
        "build.sh",
        """
        echo done >>built
        "$RALPH" task done "t$(wc -l <built)"
        "$RALPH" complete || true
        """);
    checkout.file("review.sh", "\"$RALPH\" task add 'mend one'\n");
    checkout.file("SPEC.md", "Build it in two steps.");

    Exit exit =
        checkout.ralph(
            "build",
            "--spec",
            "SPEC.md",
            "--agent",
            "sh build.sh",
            "--agent",
            "plan=sh plan.sh",
            "--agent",
            "review=sh review.sh",
            "--review-every",
            "2");

    assertThat(exit.code()).as(exit.toString()).isZero();
    List<String> roles = new ArrayList<>();
    for (JsonNode iteration : checkout.json("iterations").get("iterations")) {
      roles.add(iteration.path("role").asText("build"));
    }
    assertThat(roles).containsExactly("plan", "build", "review", "build", "build");
  }
}
