package dev.ralph.core.internal.process;

import java.time.Duration;

/**
 * The exit of a process.
 *
 * @param code the exit code; 128 plus the signal number after a signal; -1 if the process could not
 *     be ended
 * @param reason the cause of the exit
 * @param duration the time from the start to the observed end
 * @param outputComplete whether the consumers received all output; false if a consumer needed more
 *     than 10 seconds for the rest after the end
 */
public record ProcessExit(int code, Reason reason, Duration duration, boolean outputComplete) {

  /** The code after SIGKILL, 128 and 9. Usually only the system sends this signal unexpectedly. */
  private static final int KILLED = 137;

  /** The causes of an exit. */
  public enum Reason {
    /** The process exited, or a signal of another program ended it. */
    EXITED,
    /** {@link ManagedProcess#terminate} or {@link ManagedProcess#close} ended the process. */
    TERMINATED,
    /** {@link ManagedProcess#awaitOrTerminate} ended the process after its timeout. */
    TIMED_OUT
  }

  /** Returns whether the process exited with code 0. */
  public boolean isSuccess() {
    return reason == Reason.EXITED && code == 0;
  }

  /** Returns the exit code for people. */
  public String words() {
    return words(code);
  }

  /** Returns an exit code for people, with its likely cause if it was killed. */
  public static String words(int code) {
    return "exit code "
        + code
        + (code == KILLED ? " (killed, perhaps because memory ran out)" : "");
  }
}
