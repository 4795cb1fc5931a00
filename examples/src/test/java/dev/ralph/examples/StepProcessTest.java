package dev.ralph.examples;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.ralph.InterruptedStepException;
import dev.ralph.Ralph;
import dev.ralph.Session;
import dev.ralph.StepCodec;
import java.nio.file.Path;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Kills a process during a step and checks the next process's view of its steps. */
class StepProcessTest {

  private static final int KILLED = 9;

  @TempDir Path temp;

  /** Completes one step and halts the JVM during the next step. */
  static final class Child {
    public static void main(String[] arguments) {
      try (Ralph ralph = Ralph.open(Path.of(arguments[0]))) {
        Session session = ralph.session("order");
        session.step("charge", StepCodec.text(), () -> "receipt");
        session.step(
            "ship",
            StepCodec.text(),
            () -> {
              Runtime.getRuntime().halt(KILLED);
              return "never";
            });
      }
    }
  }

  @Test
  void completedStepLasts_interruptedStepIsReported() throws Exception {
    Path store = temp.resolve("store");
    Process child =
        new ProcessBuilder(
                Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                "-XX:TieredStopAtLevel=1",
                "-XX:+UseSerialGC",
                "-cp",
                System.getProperty("java.class.path"),
                Child.class.getName(),
                store.toString())
            .inheritIO()
            .start();
    try {
      assertThat(child.waitFor(2, TimeUnit.MINUTES)).as("exited in time").isTrue();
      assertThat(child.exitValue()).isEqualTo(KILLED);
    } finally {
      child.destroyForcibly();
    }

    try (Ralph ralph = Ralph.openExisting(store)) {
      Session session = ralph.session("order");
      assertThat(session.step("charge", StepCodec.text(), () -> "again")).isEqualTo("receipt");
      assertThatThrownBy(() -> session.step("ship", StepCodec.text(), () -> "again"))
          .isInstanceOf(InterruptedStepException.class)
          .hasMessageContaining("the step 'ship' was started at")
          .hasMessageContaining("in the process " + child.pid());
      assertThat(session.step("ship", StepCodec.text(), () -> "x", halfDone -> "shipped"))
          .isEqualTo("shipped");
    }
  }
}
