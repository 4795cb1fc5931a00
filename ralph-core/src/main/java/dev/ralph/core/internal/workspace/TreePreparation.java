package dev.ralph.core.internal.workspace;

import dev.ralph.Redactor;
import dev.ralph.core.internal.git.GitTrees;
import dev.ralph.core.internal.git.ProvidedFiles;
import dev.ralph.core.internal.process.CommandResult;
import dev.ralph.core.internal.process.Git;
import dev.ralph.core.internal.process.ProcessMark;
import dev.ralph.core.internal.process.ProcessSpec;
import dev.ralph.core.internal.text.CommandLineWords;
import dev.ralph.core.internal.text.PlainPath;
import dev.ralph.log.RalphException;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;

/**
 * Prepares a new work tree: copies files that Git does not track, and runs a set-up command. A tree
 * is prepared once, and again after a failure or a change of the settings. Missing copies are
 * restored. Files created by the preparation are no work until an agent changes them. Safe for use
 * by many threads, each with its own tree.
 */
final class TreePreparation {

  /** The file in the work tree's Git folder with the settings of the last preparation. */
  private static final String READY = "ralph-ready";

  private static final Duration COPY_PATIENCE = Duration.ofMinutes(30);
  private static final Duration GRACE = Duration.ofSeconds(5);

  /** The limit of the command's output in a message. */
  private static final int MOST_OUTPUT = 4_000;

  private final SessionRepository repository;
  private final WorkspaceSettings settings;
  private final ProcessMark mark;
  private final Redactor redactor;

  /**
   * Creates a preparation.
   *
   * @param mark finds the processes of a killed owner
   * @param redactor removes secrets from the output of the command
   */
  TreePreparation(
      SessionRepository repository,
      WorkspaceSettings settings,
      ProcessMark mark,
      Redactor redactor) {
    this.repository = repository;
    this.settings = settings;
    this.mark = mark;
    this.redactor = redactor;
  }

  /**
   * Validates the paths to copy without accessing them.
   *
   * @throws RalphException INVALID if a path leads out of the repository, or belongs to Git or
   *     Ralph
   */
  void requirePaths() {
    for (Path path : settings.copies()) {
      Path inside = inside(path);
      boolean isOwn = false;
      for (Path name : inside) {
        isOwn |= name.toString().equals(".git") || name.toString().equals(".ralph");
      }
      if (inside.isAbsolute()
          || isOwn
          || path.toString().isEmpty()
          || inside.toString().isEmpty()
          || inside.startsWith("..")) {
        throw RalphException.invalid(
            "can't copy "
                + RalphException.quote(path.toString())
                + " into agents' folders: use a path in the repository, outside .git and .ralph");
      }
    }
  }

  /** Returns a path to copy, relative to the repository's top. */
  private Path inside(Path path) {
    return repository.inside().resolve(path).normalize();
  }

  /**
   * Prepares a tree unless it is already prepared.
   *
   * @param variables the variables of the command
   * @throws RalphException INVALID if a path can't be copied or the command fails, with its output
   */
  void prepare(Path root, Map<String, String> variables) throws InterruptedException {
    if (settings.copies().isEmpty() && settings.setUp().isEmpty()) {
      return;
    }
    Git git = SessionRepository.in(root);
    Path ready = root.resolve(repository.ask(git, "rev-parse", "--git-dir")).resolve(READY);
    String asked = CommandLineWords.join(settings.setUp()) + "\n" + settings.copies() + "\n";
    try {
      boolean isReady = Files.exists(ready) && Files.readString(ready).equals(asked);
      List<Path> missing = new ArrayList<>();
      for (Path path : settings.copies()) {
        if (!isReady || isMissing(root, inside(path))) {
          missing.add(inside(path));
        }
      }
      boolean isToSetUp = !isReady && !settings.setUp().isEmpty();
      if (!missing.isEmpty() || isToSetUp) {
        ProvidedFiles.begin(root);
        try {
          for (Path path : missing) {
            copy(git, path, root);
          }
          if (isToSetUp) {
            setUp(root, variables);
          }
        } finally {
          ProvidedFiles.record(root, repository.changes(git, root));
        }
      }
      Files.writeString(ready, asked);
    } catch (IOException e) {
      throw GitTrees.failed("can't prepare " + root, e);
    }
  }

  /** Returns whether a copy was deleted, for example by a checkout of the merge queue. */
  private boolean isMissing(Path root, Path path) {
    return !Files.exists(root.resolve(path)) && Files.exists(repository.checkout().resolve(path));
  }

  private void copy(Git git, Path path, Path root) throws IOException, InterruptedException {
    Path from = repository.checkout().resolve(path);
    Path to = root.resolve(path);
    PlainPath.require(repository.checkout(), from);
    PlainPath.require(root, to);
    if (!Files.exists(from)) {
      repository.notice(from + " does not exist, so agents' folders have no copy");
      return;
    }
    if (isTracked(repository.git(), path)) {
      throw RalphException.invalid(
          "can't copy "
              + path
              + " into agents' folders: Git tracks this path, so the copy would replace committed"
              + " files; commit the changes, or copy untracked files only");
    }
    if (isTracked(git, path)) {
      return; // an agent's version was merged
    }
    Files.createDirectories(to.getParent());
    command("rm", "-rf", "--", to.toString());
    CommandResult copied = run("cp", "-a", "--reflink=auto", "--", from.toString(), to.toString());
    if (!copied.isGood() && copied.why().contains("option")) {
      command("cp", "-Rp", from.toString(), to.toString()); // this cp lacks the option
    } else if (!copied.isGood()) {
      throw RalphException.invalid("can't copy " + from + " to " + to + ": " + copied.why());
    }
  }

  /** Returns whether the index has a path, or a file below the path. */
  private static boolean isTracked(Git git, Path path) throws InterruptedException {
    String literal = ":(top,literal)" + path.toString().replace('\\', '/');
    return !git.run("ls-files", "--cached", "--", literal).line().isEmpty();
  }

  private void command(String... command) throws InterruptedException {
    CommandResult answer = run(command);
    if (!answer.isGood()) {
      throw RalphException.invalid(CommandLineWords.join(List.of(command)) + ": " + answer.why());
    }
  }

  private CommandResult run(String... command) throws InterruptedException {
    return ProcessSpec.command(command)
        .environment("LC_ALL", "C")
        .mark(mark)
        .leavesNothing()
        .run(COPY_PATIENCE, GRACE, MOST_OUTPUT);
  }

  private void setUp(Path root, Map<String, String> variables) throws InterruptedException {
    List<String> command = new ArrayList<>(settings.setUp());
    ProcessSpec.Builder spec =
        ProcessSpec.command(command)
            .directory(root.resolve(repository.inside()))
            .mark(mark)
            .mergeStderr();
    variables.forEach(spec::environment);
    CommandResult answer = spec.run(settings.setUpLimit(), GRACE, MOST_OUTPUT);
    if (!answer.isGood()) {
      throw RalphException.invalid(
          "the set-up command failed in "
              + root
              + ": "
              + CommandLineWords.join(command)
              + "\n"
              + (answer.isLate()
                  ? "the command exceeded its time limit of " + settings.setUpLimit() + "\n"
                  : "")
              + redactor.redact(answer.output().strip()));
    }
  }
}
