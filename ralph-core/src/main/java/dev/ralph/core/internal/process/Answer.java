package dev.ralph.core.internal.process;

/**
 * What a command said that was run to its end, by {@link ProcessSpec.Builder#run}.
 *
 * @param exit how it ended
 * @param output what it printed; of too much, the end
 * @param errors what it said is wrong, in the same way; empty where that went where the output went
 */
public record Answer(ProcessExit exit, String output, String errors) {

  /** Returns whether it did what it was asked for. */
  public boolean isGood() {
    return exit.isSuccess();
  }

  /** Returns whether it was ended because it took too long. */
  public boolean isLate() {
    return exit.reason() == ProcessExit.Reason.TIMED_OUT;
  }

  /** Returns what it printed, without the last line break. */
  public String line() {
    return output.strip();
  }

  /** Returns why it did not do it, for people. */
  public String why() {
    String said = errors.isBlank() ? output.strip() : errors.strip();
    return isLate() ? "it took too long" : said.isEmpty() ? "exit code " + exit.code() : said;
  }
}
