package dev.ralph.core.internal.process;

import dev.ralph.log.RalphException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/** Runs git in a folder, by argument vectors; it never asks anybody anything. */
public final class Git {

  /**
   * A clone may hold a bare repository among its files, whose hooks and settings would be taken by
   * who works in that folder.
   */
  private static final String ONLY_MEANT = "safe.bareRepository=explicit";

  private static final int MOST_OUTPUT = 8 * 1024 * 1024;

  private static final Duration GRACE = Duration.ofSeconds(5);

  /** What a hook of git's is given, so that git called from there would look elsewhere. */
  private static final List<String> ELSEWHERE =
      List.of("GIT_DIR", "GIT_WORK_TREE", "GIT_INDEX_FILE", "GIT_COMMON_DIR");

  private final Path folder;
  private final Duration patience;

  /**
   * Makes what runs git.
   *
   * @param folder where
   * @param patience after which a call is ended
   */
  public Git(Path folder, Duration patience) {
    this.folder = folder;
    this.patience = patience;
  }

  /**
   * Returns the variables of this program's environment that make git look elsewhere than in the
   * folder it is called in. They are kept from what {@link #run} starts, and from nothing else.
   */
  public static List<String> leadingElsewhere() {
    return ELSEWHERE.stream().filter(name -> System.getenv(name) != null).toList();
  }

  /**
   * What git answered.
   *
   * @param code its exit code; -1 where it was ended because it took too long
   * @param output what it printed
   * @param errors what it said is wrong
   */
  public record Answer(int code, String output, String errors) {

    /** Returns whether it did what it was asked for. */
    public boolean isGood() {
      return code == 0;
    }

    /** Returns what it printed, without the last line break. */
    public String line() {
      return output.strip();
    }

    /** Returns why it did not do it, for people. */
    public String why() {
      String said = errors.isBlank() ? output.strip() : errors.strip();
      return code < 0 ? "it took too long" : said.isEmpty() ? "exit code " + code : said;
    }
  }

  /**
   * Runs git.
   *
   * @throws RalphException INVALID if git can't be started
   * @throws InterruptedException if the thread is interrupted; git has ended then
   */
  public Answer run(String... arguments) throws InterruptedException {
    return run(false, List.of(arguments));
  }

  private Answer run(boolean leavesNothing, List<String> arguments) throws InterruptedException {
    List<String> command = new ArrayList<>(List.of("git", "-c", ONLY_MEANT));
    command.addAll(arguments);
    StringBuffer output = new StringBuffer();
    StringBuffer errors = new StringBuffer();
    ProcessSpec.Builder spec =
        ProcessSpec.command(command)
            .directory(folder)
            .environment("LC_ALL", "C.UTF-8")
            .environment("GIT_TERMINAL_PROMPT", "0")
            .environment("GIT_EDITOR", "true")
            .onStdout(piece -> keep(output, piece))
            .onStderr(piece -> keep(errors, piece));
    ELSEWHERE.forEach(spec::withoutEnvironment);
    if (leavesNothing) {
      spec.leavesNothing();
    }
    try (ManagedProcess process = ManagedProcess.start(spec.build())) {
      ProcessExit exit = process.awaitOrTerminate(patience, GRACE);
      int code = exit.reason() == ProcessExit.Reason.TIMED_OUT ? -1 : exit.code();
      return new Answer(code, output.toString(), errors.toString());
    }
  }

  private static void keep(StringBuffer text, String piece) {
    if (text.length() <= MOST_OUTPUT) {
      text.append(piece);
    }
  }

  /**
   * Returns what git prints, without taking a lock or changing anything; empty where it can't be
   * run, fails, takes too long or says too much. An interrupted thread stays interrupted.
   */
  public Optional<String> look(String... arguments) {
    List<String> all =
        new ArrayList<>(List.of("--no-optional-locks", "-c", "core.fsmonitor=false"));
    all.addAll(List.of(arguments));
    try {
      Answer answer = run(true, all);
      return answer.isGood() && answer.output().length() <= MOST_OUTPUT
          ? Optional.of(answer.output())
          : Optional.empty();
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      return Optional.empty();
    } catch (RalphException noGit) {
      return Optional.empty();
    }
  }
}
