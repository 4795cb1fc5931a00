package dev.ralph.core.internal.process;

import java.time.Duration;

/**
 * How a process ended.
 *
 * @param code the exit code; 128 plus the signal's number when a signal ended it; -1 when it could
 *     not be ended
 * @param reason who ended it
 * @param duration from the start to when its end was seen
 * @param outputComplete whether the consumers were given all of its output; false when one took
 *     more than 10 seconds for what was left after the end
 */
public record ProcessExit(int code, Reason reason, Duration duration, boolean outputComplete) {

  /** The code of what SIGKILL ended, 128 and 9; nobody but the system sends it unasked. */
  private static final int KILLED = 137;

  /** Who ended a process. */
  public enum Reason {
    /** It ended by itself, or by a signal that was not ours. */
    EXITED,
    /** It was ended by {@link ManagedProcess#terminate} or {@link ManagedProcess#close}. */
    TERMINATED,
    /** Its time ran out in {@link ManagedProcess#awaitOrTerminate}. */
    TIMED_OUT
  }

  /** Whether it ended by itself, with code 0. */
  public boolean isSuccess() {
    return reason == Reason.EXITED && code == 0;
  }

  /** Returns its code for people. */
  public String words() {
    return words(code);
  }

  /** Returns an exit code for people, with what is likely behind it where nothing else says so. */
  public static String words(int code) {
    return "exit code "
        + code
        + (code == KILLED ? " (killed, perhaps because memory ran out)" : "");
  }
}
