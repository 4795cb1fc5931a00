package dev.ralph.cli.tx;

import static org.assertj.core.api.Assertions.assertThat;

import dev.ralph.cli.Main;
import java.io.File;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.stream.Collectors;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** Commands that parse no message do not load the YAML library, whose loading takes time. */
@Timeout(300)
class WithoutYamlTest {

  @TempDir Path folder;

  /** Runs a command in a separate JVM without the YAML library, and returns its output. */
  private String call(String... words) throws Exception {
    String path =
        Arrays.stream(System.getProperty("java.class.path").split(File.pathSeparator))
            .filter(entry -> !entry.contains("snakeyaml"))
            .collect(Collectors.joining(File.pathSeparator));
    List<String> line =
        new ArrayList<>(
            List.of(
                Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                "-cp",
                path,
                Main.class.getName()));
    line.addAll(List.of(words));
    Process process =
        new ProcessBuilder(line).directory(folder.toFile()).redirectErrorStream(true).start();
    process.getOutputStream().close();
    String said = new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
    assertThat(process.waitFor()).as(said).isZero();
    return said;
  }

  @Test
  void writingCommands_loadNoYaml() throws Exception {
    assertThat(call("tx", "send", "brain", "--as", "core", "--id", "a", "hello"))
        .contains("-task-core--brain-a.md");
    String answer = "tx send core --as brain --id b --in-reply-to a --requester core hello";
    assertThat(call(answer.split(" "))).contains("-task-brain--core-b.md").doesNotContain("ralph:");
    assertThat(call("mail", "send", "bob", "--as", "ann", "hello")).contains("Mail sent");
    assertThat(call("tx", "status")).contains("No deliveries yet");
    call("tx", "orphans");
    assertThat(call("mail", "receive", "--as", "bob", "--ack")).contains("hello");
  }
}
