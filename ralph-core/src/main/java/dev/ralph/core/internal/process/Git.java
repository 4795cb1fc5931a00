package dev.ralph.core.internal.process;

import dev.ralph.log.RalphException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
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

  /**
   * Neither hooks of others, nor what goes on in the background: a cleaning up that is cut off
   * leaves what it has locked.
   */
  private static final List<String> ALONE =
      List.of(
          "-c",
          "core.hooksPath=/dev/null",
          "-c",
          "core.fsmonitor=false",
          "-c",
          "gc.auto=0",
          "-c",
          "maintenance.auto=false");

  private final Path folder;
  private final Duration patience;
  private final Map<String, String> variables;
  private final boolean isAlone;
  private final boolean hasTerminal;

  /**
   * Makes what runs git.
   *
   * @param folder where
   * @param patience after which a call is ended
   */
  public Git(Path folder, Duration patience) {
    this(folder, patience, Map.of());
  }

  /**
   * Makes what runs git.
   *
   * @param folder where
   * @param patience after which a call is ended
   * @param variables of its environment, besides those of this program
   */
  public Git(Path folder, Duration patience, Map<String, String> variables) {
    this(folder, patience, variables, false, true);
  }

  private Git(
      Path folder,
      Duration patience,
      Map<String, String> variables,
      boolean isAlone,
      boolean hasTerminal) {
    this.folder = folder;
    this.patience = patience;
    this.variables = Map.copyOf(variables);
    this.isAlone = isAlone;
    this.hasTerminal = hasTerminal;
  }

  /** Makes what runs git without hooks, and with nothing that goes on when it has ended. */
  public static Git alone(Path folder, Duration patience) {
    return new Git(folder, patience, Map.of(), true, true);
  }

  /**
   * Returns what runs git in the same way with an index of its own.
   *
   * @param file of the index; made where it is not there
   */
  public Git withIndex(Path file) {
    Map<String, String> own = new HashMap<>(variables);
    own.put("GIT_INDEX_FILE", file.toString());
    return new Git(folder, patience, own, isAlone, hasTerminal);
  }

  /**
   * Returns what runs git in the same way, so that no program it calls can ask on a terminal.
   *
   * @param limit after which a call is ended
   */
  public Git withoutTerminal(Duration limit) {
    return new Git(folder, limit, variables, isAlone, false);
  }

  /**
   * Returns the variables of this program's environment that make git look elsewhere than in the
   * folder it is called in. They are kept from what {@link #run} starts, and from nothing else.
   */
  public static List<String> leadingElsewhere() {
    return ELSEWHERE.stream().filter(name -> System.getenv(name) != null).toList();
  }

  /**
   * Runs git.
   *
   * @throws RalphException INVALID if git can't be started
   * @throws InterruptedException if the thread is interrupted; git has ended then
   */
  public Answer run(String... arguments) throws InterruptedException {
    return command(List.of(arguments)).run(patience, GRACE, MOST_OUTPUT);
  }

  /**
   * Runs git with a text to read, as a message or references to change.
   *
   * @throws RalphException INVALID if git can't be started
   * @throws InterruptedException if the thread is interrupted; git has ended then
   */
  public Answer runWith(String input, String... arguments) throws InterruptedException {
    return command(List.of(arguments)).stdin(input).run(patience, GRACE, MOST_OUTPUT);
  }

  private ProcessSpec.Builder command(List<String> arguments) {
    List<String> command = new ArrayList<>(hasTerminal ? List.of() : SearchPath.withoutTerminal());
    command.addAll(List.of("git", "-c", ONLY_MEANT));
    command.addAll(isAlone ? ALONE : List.of());
    command.addAll(arguments);
    ProcessSpec.Builder spec =
        ProcessSpec.command(command)
            .directory(folder)
            .environment("LC_ALL", "C.UTF-8")
            .environment("GIT_TERMINAL_PROMPT", "0")
            .environment("GIT_EDITOR", "true");
    ELSEWHERE.forEach(spec::withoutEnvironment);
    variables.forEach(spec::environment);
    if (!hasTerminal) {
      spec.withoutEnvironment("GPG_TTY");
    }
    return isAlone ? spec.leavesNothing() : spec;
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
      Answer answer = command(all).leavesNothing().run(patience, GRACE, MOST_OUTPUT);
      return answer.isGood() && answer.output().length() < MOST_OUTPUT
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
