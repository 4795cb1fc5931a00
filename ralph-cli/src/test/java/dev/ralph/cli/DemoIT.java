package dev.ralph.cli;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.concurrent.TimeUnit;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/**
 * Runs the demo as a new user does. Its agent must not depend on the default path, session or
 * store, so the test changes all three.
 */
@Timeout(value = 10, unit = TimeUnit.MINUTES)
@Tag("slow")
class DemoIT {

  @TempDir Path folder;
  private Checkout checkout;

  @BeforeEach
  void moveIn() throws Exception {
    checkout = Checkout.shared(folder);
  }

  @Test
  void demoAgent_worksFromPromptOnly() throws Exception {
    Path project = folder.resolve("it's here/project");
    Path store = folder.resolve("another place/log of it");

    Checkout.Exit exit =
        checkout.ralph(
            "demo", project.getParent().toString(), "-n", "renamed", "--store", store.toString());

    assertThat(exit.code()).as(exit.err() + exit.out()).isZero();
    assertThat(exit.out())
        .contains("the operator sends a message", "completion refused: gate failed")
        .contains("completed after 4 iterations", "at your service");
    assertThat(withoutIds(exit.out()).replace("renamed", "demo").lines())
        .containsSubsequence(fromPicture());
    assertThat(checkout.shell("git -C \"" + project + "\" rev-list --count HEAD").out())
        .isEqualTo("4\n"); // the initial commit and three commits of the agent
    assertThat(
            checkout
                .json("status", "-n", "renamed", "--store", store.toString())
                .get("unread")
                .asInt())
        .isZero();
  }

  /** Returns the lines of the README's picture, without durations. */
  private static List<String> fromPicture() throws IOException {
    Matcher text =
        Pattern.compile("<text [^>]*clip-path=\"url\\(#terminal-line-(\\d+)\\)\">([^<]*)</text>")
            .matcher(Files.readString(Path.of("../docs/build.svg")));
    Map<Integer, String> beginnings = new TreeMap<>();
    while (text.find()) {
      String plain = text.group(2).replace("&#160;", " ").replace("&#x27;", "'");
      beginnings.putIfAbsent(Integer.parseInt(text.group(1)), withoutIds(plain.stripTrailing()));
    }
    // The loop reports the delivery of a message a moment later, at an unpredictable line.
    List<String> lines =
        beginnings.values().stream()
            .filter(line -> !line.matches(" *[0-9.]+s\\b.*|m1 was read by the agent"))
            .toList();
    assertThat(lines).hasSizeGreaterThan(20);
    return lines;
  }

  private static String withoutIds(String text) {
    return text.replaceAll("\\b03[a-z0-9]{5,}", "ID");
  }
}
