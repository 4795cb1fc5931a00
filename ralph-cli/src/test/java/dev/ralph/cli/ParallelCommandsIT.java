package dev.ralph.cli;

import static org.assertj.core.api.Assertions.assertThat;

import dev.ralph.cli.Checkout.Exit;
import java.nio.file.Path;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Concurrent commands decide on a consistent state, and all of them succeed. */
@Timeout(value = 10, unit = TimeUnit.MINUTES)
class ParallelCommandsIT {

  private static final int COMMANDS = 16;

  @TempDir Path folder;
  private Checkout checkout;

  @BeforeEach
  void moveIn() throws Exception {
    checkout = Checkout.shared(folder);
  }

  @ParameterizedTest
  @ValueSource(strings = {"", "chronicle:"})
  void concurrentCommands_allSucceed(String kind) throws Exception {
    checkout.with("RALPH_STORE", kind + checkout.work().resolve("store"));
    assertThat(checkout.ralph("task", "add", "-n", "a", "--create", "t").code()).isZero();

    Exit exit =
        checkout.shell(
            IntStream.range(0, COMMANDS)
                .mapToObj(i -> "\"$RALPH\" message -n a m" + i + " >/dev/null || echo lost &\n")
                .collect(Collectors.joining("", "", "wait")));

    assertThat(exit).isEqualTo(new Exit(0, "", ""));
    Exit inbox = checkout.run(Map.of(), checkout.launcher().toString(), "inbox", "-n", "a");
    assertThat(inbox.out()).hasLineCount(COMMANDS);
    assertThat(checkout.ralph("verify").out()).isEqualTo("No damage\n");
  }
}
