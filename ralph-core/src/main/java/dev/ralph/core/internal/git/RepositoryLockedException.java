package dev.ralph.core.internal.git;

import dev.ralph.core.internal.process.CommandResult;
import dev.ralph.log.RalphException;
import java.nio.file.Path;
import java.util.Optional;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * Thrown if a lock file blocks Git: held by a running Git process, or left behind by a killed Git
 * process. A loop then ends with {@link dev.ralph.StopReason#REPOSITORY_LOCKED}.
 */
public final class RepositoryLockedException extends RalphException {

  private static final long serialVersionUID = 1L;

  private static final Pattern LOCK = Pattern.compile("'([^'\n]+\\.lock)': File exists");
  private static final Pattern CONFIG =
      Pattern.compile("could not lock config file ([^\n]+): File exists");

  RepositoryLockedException(String what, Path lock) {
    super(
        Code.INVALID,
        lock.getFileName() + " is held (" + what + "). Remove " + lock + " if no git process runs.",
        null);
  }

  /** Returns the lock file that an error of Git names; empty if it names none. */
  static Optional<Path> lockIn(CommandResult answer) {
    if (answer.isGood()) {
      return Optional.empty();
    }
    Matcher lock = LOCK.matcher(answer.why());
    if (lock.find()) {
      return Optional.of(Path.of(lock.group(1)));
    }
    Matcher config = CONFIG.matcher(answer.why());
    return config.find() ? Optional.of(Path.of(config.group(1) + ".lock")) : Optional.empty();
  }
}
