package dev.ralph;

import com.fasterxml.jackson.annotation.JsonValue;
import dev.ralph.internal.UnicodeText;
import dev.ralph.log.Meta;
import java.util.Objects;
import javax.annotation.concurrent.Immutable;
import org.jspecify.annotations.Nullable;

/** The result of a {@link Gate}, with the reason of a failure. Immutable. */
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

  /** Returns the verdict of a passed gate. */
  public static Verdict passed() {
    return PASSED;
  }

  /**
   * Returns the verdict of a failed gate.
   *
   * @param reason the reason, in one or more lines, with which the agent can fix the problem
   */
  public static Verdict failed(String reason) {
    return new Verdict(false, null, Objects.requireNonNull(reason, "reason"));
  }

  /**
   * Returns the verdict of a command: passed if the exit code is 0.
   *
   * @param output the last lines of the command's output
   */
  public static Verdict ofExit(int exitCode, String output) {
    String reason =
        exitCode == 0
            ? ""
            : output.isEmpty() ? "It printed nothing." : "Its last lines:\n" + output;
    return new Verdict(exitCode == 0, exitCode, reason);
  }

  /** Returns whether the gate passed. */
  public boolean isPassed() {
    return passed;
  }

  /** Returns the exit code of the gate's command, or null if there was none. */
  public @Nullable Integer exitCode() {
    return exitCode;
  }

  /** Returns the reason of a failure; empty if the gate passed. */
  public String reason() {
    return reason;
  }

  /**
   * Returns the verdict as JSON: {@code passed}, {@code exit_code} and {@code reason}, each without
   * a value left out. Jackson serializes the verdict as this object.
   */
  @JsonValue
  public Meta json() {
    return Meta.of("passed", passed)
        .with("exit_code", exitCode)
        .with("reason", reason.isEmpty() ? null : UnicodeText.of(reason));
  }

  @Override
  public String toString() {
    return passed ? "passed" : "failed: " + reason;
  }
}
