package dev.ralph.cli;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/**
 * The demo as a newcomer runs it. Its agent knows no path, session or store, so all three differ.
 */
@Timeout(value = 10, unit = TimeUnit.MINUTES)
class DemoIT {

  @TempDir Path folder;

  @Test
  void itsAgentWorksByNothingButItsPrompt() throws Exception {
    Checkout checkout = Checkout.in(folder);
    Path project = folder.resolve("it's here/project");
    Path store = folder.resolve("another place/log of it");

    Checkout.Exit exit =
        checkout.ralph(
            "demo", project.getParent().toString(), "-n", "renamed", "--store", store.toString());

    assertThat(exit.code()).as(exit.err() + exit.out()).isZero();
    assertThat(exit.out())
        .contains("the operator sends a message", "completion refused: gate failed")
        .contains("completed after 4 iterations", "at your service");
    assertThat(withoutIds(exit.out()).replace("renamed", "demo")).contains(fromReadme());
    assertThat(checkout.shell("git -C \"" + project + "\" rev-list --count HEAD").out())
        .isEqualTo("4\n"); // what to build, and three by the agent
    assertThat(
            checkout
                .json("status", "-n", "renamed", "--store", store.toString())
                .get("unread")
                .asInt())
        .isZero();
    checkout.endMakers();
  }

  /** Returns what the page shows of it. */
  private static String fromReadme() throws IOException {
    String page = Files.readString(Path.of("../README.md"));
    String begin = "```text\n";
    int from = page.indexOf(begin) + begin.length();
    return withoutIds(page.substring(from, page.indexOf("```", from)));
  }

  private static String withoutIds(String text) {
    return text.replaceAll("\\[03[a-z0-9]+]", "[ID]");
  }
}
