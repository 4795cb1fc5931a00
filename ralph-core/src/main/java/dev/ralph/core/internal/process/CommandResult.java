package dev.ralph.core.internal.process;

/**
 * The result of a completed command, as returned by {@link ProcessSpec.Builder#run}.
 *
 * @param exit the exit of the process
 * @param output the standard output; shortened to its end beyond the limit
 * @param errors the standard error, shortened likewise; empty if merged into the output
 */
public record CommandResult(ProcessExit exit, String output, String errors) {

  /** Returns whether the command succeeded. */
  public boolean isGood() {
    return exit.isSuccess();
  }

  /** Returns whether the command was ended by its time limit. */
  public boolean isLate() {
    return exit.reason() == ProcessExit.Reason.TIMED_OUT;
  }

  /** Returns the output without leading and trailing white space. */
  public String line() {
    return output.strip();
  }

  /** Returns the reason of a failure, for people. */
  public String why() {
    String said = errors.isBlank() ? output.strip() : errors.strip();
    return isLate() ? "timeout" : said.isEmpty() ? "exit code " + exit.code() : said;
  }
}
