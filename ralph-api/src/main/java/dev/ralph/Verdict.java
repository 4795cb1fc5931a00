package dev.ralph;

import java.util.Objects;
import javax.annotation.concurrent.Immutable;
import org.jspecify.annotations.Nullable;

/** Whether a {@link Gate} was passed, and if not, why. Immutable. */
@Immutable
public final class Verdict {

  private static final Verdict PASSED = new Verdict(true, null, "");

  private final boolean passed;
  private final @Nullable Integer exitCode;
  private final String reason;

  private Verdict(boolean passed, @Nullable Integer exitCode, String reason) {
    this.passed = passed;
    this.exitCode = exitCode;
    this.reason = reason;
  }

  /** Returns that the gate was passed. */
  public static Verdict passed() {
    return PASSED;
  }

  /**
   * Returns that the gate was not passed.
   *
   * @param reason what is wrong, in one or more lines, so that the agent can fix it
   */
  public static Verdict failed(String reason) {
    return new Verdict(false, null, Objects.requireNonNull(reason, "reason"));
  }

  /**
   * Returns what the end of a command means: passed if its exit code is 0.
   *
   * @param output the last lines it printed
   */
  public static Verdict ofExit(int exitCode, String output) {
    String reason =
        exitCode == 0
            ? ""
            : output.isEmpty() ? "It printed nothing." : "Its last lines:\n" + output;
    return new Verdict(exitCode == 0, exitCode, reason);
  }

  /** Returns whether the gate was passed. */
  public boolean isPassed() {
    return passed;
  }

  /** Returns the exit code of the command that decided it, or null where none did. */
  public @Nullable Integer exitCode() {
    return exitCode;
  }

  /** Returns what is wrong, in words; empty if the gate was passed. */
  public String reason() {
    return reason;
  }

  @Override
  public String toString() {
    return passed ? "passed" : "failed: " + reason;
  }
}
