package dev.ralph.cli.loop;

import dev.ralph.cli.call.ConfigFile;
import dev.ralph.cli.call.ConfigLine;
import dev.ralph.cli.call.Invocation;
import dev.ralph.cli.call.Project;
import dev.ralph.cli.call.TrustedFiles;
import dev.ralph.cli.call.UsageException;
import dev.ralph.cli.text.SafeText;
import dev.ralph.core.internal.text.CommandLineWords;
import dev.ralph.log.RalphException;
import dev.ralph.openspec.internal.Change;
import dev.ralph.openspec.internal.Verification;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;

/**
 * The actions that the files of a project cause in {@code ralph build}. The project may come from
 * another person. So the user reviews these actions and confirms them once before the first run.
 */
public final class ProjectTrust {

  /**
   * The trusted text of checks derived from build files. The text omits the commands, because they
   * may change.
   */
  private static final String BY_BUILD_FILES = "checks derived from its build files";

  /**
   * A file to trust.
   *
   * @param file the path of the file
   * @param text the text to trust
   * @param lines the effects of the text for people
   */
  private record Part(Path file, String text, List<String> lines) {}

  private final Invocation call;
  private final TrustedFiles trust;
  private final List<Part> parts = new ArrayList<>();

  public ProjectTrust(Invocation call) {
    this.call = call;
    this.trust = call.environment().trust();
  }

  /** Adds the options of a project. */
  public ProjectTrust config(BuildConfig config) {
    ConfigFile file = config.file();
    if (file != null && !file.lines().isEmpty()) {
      List<String> lines = new ArrayList<>();
      for (ConfigLine line : file.lines()) {
        lines.add(line(config.runs(line.name()), line.name() + " = " + line.value()));
      }
      parts.add(new Part(file.path(), file.text(), lines));
    }
    return this;
  }

  /**
   * Adds the checks that each story of a change has to pass.
   *
   * @param project the project with the checks
   * @param place the folder with the checks: the project, or its folder in another work tree
   */
  public ProjectTrust checks(Path project, Path place) {
    Verification checks = Verification.of(place);
    if (!checks.all().isEmpty()) {
      List<String> commands = new ArrayList<>();
      checks.checks().forEach(command -> commands.add("check: " + command));
      checks.tests().forEach(command -> commands.add("test: " + command));
      List<String> lines = new ArrayList<>();
      commands.forEach(command -> lines.add(line(true, command)));
      String text = isStated(place) ? String.join("\n", commands) : BY_BUILD_FILES;
      Path own = project.resolve(Verification.FILE);
      Path file = trust.holds(own, text) ? own : place.resolve(Verification.FILE);
      parts.add(new Part(file, text, lines));
    }
    return this;
  }

  /** Returns the command that trusts a file, with the folder in which the trust applies. */
  private String command(Path file) {
    Path project = Project.folder(call.environment(), Change.FOLDER);
    boolean isElsewhere =
        file.endsWith(Verification.FILE) && !file.equals(project.resolve(Verification.FILE));
    Path place = file.getParent() == null ? file : file.getParent().getParent();
    return isElsewhere
        ? "(" + CommandLineWords.join(List.of("cd", String.valueOf(place))) + " && ralph trust)"
        : "ralph trust";
  }

  private static boolean isStated(Path place) {
    Path file = place.resolve(Verification.FILE);
    return Files.exists(file) && !Files.isDirectory(file);
  }

  private static String line(boolean runs, String text) {
    return (runs ? "  runs  " : "        ") + SafeText.line(text);
  }

  /** Returns the files to trust. */
  public List<Path> files() {
    return parts.stream().map(Part::file).toList();
  }

  /** Returns the effects of all files for people. */
  public List<String> lines() {
    return lines(parts);
  }

  private static List<String> lines(List<Part> parts) {
    List<String> lines = new ArrayList<>();
    for (Part part : parts) {
      boolean isGuess = part.text().equals(BY_BUILD_FILES);
      lines.add(
          isGuess
              ? "ralph build --change derives from the build files of the project:"
              : "ralph build reads from " + SafeText.line(part.file().toString()) + ":");
      lines.addAll(part.lines());
    }
    return lines;
  }

  /**
   * Requires the user's trust in all files; asks on a terminal.
   *
   * @throws UsageException if the user does not agree or cannot be asked
   */
  void require() {
    List<Part> unknown = new ArrayList<>();
    for (Part part : parts) {
      if (!trust.holds(part.file(), part.text())) {
        unknown.add(part);
      }
    }
    if (unknown.isEmpty()) {
      return;
    }
    if (!call.arguments().has("yes")) {
      if (!call.json()) {
        lines(unknown).forEach(call.environment().err()::line);
      }
      if (!isAgreed()) {
        throw new UsageException(
            "nothing was run, because you have not trusted the present version of "
                + unknown.get(0).file()
                + "; to trust it, run: "
                + command(unknown.get(0).file())
                + " (or build with --yes)");
      }
    }
    for (Part part : unknown) {
      keep(part);
    }
  }

  /**
   * Requires the user's trust in all files of a project fetched for a session, without a question.
   * A text trusted in the caller's own file is trusted here too.
   *
   * @param own the options of the caller
   * @throws UsageException if the user has not trusted a file
   */
  void requireFetched(BuildConfig own) {
    ConfigFile known = own.file();
    for (Part part : parts) {
      boolean isKnown =
          trust.holds(part.file(), part.text())
              || known != null
                  && known.text().equals(part.text())
                  && trust.holds(known.path(), known.text());
      if (!isKnown && !call.arguments().has("yes")) {
        throw new UsageException(
            "the project of the session has options in "
                + part.file()
                + ", and you have not trusted the present version; to trust it, run: (cd "
                + CommandLineWords.quote(String.valueOf(part.file().getParent()))
                + " && ralph trust), or ralph work with --yes");
      }
    }
  }

  private void keep(Part part) {
    try {
      trust.grant(part.file(), part.text());
    } catch (RalphException e) {
      if (!call.arguments().has("yes")) {
        call.warn("warning: trust not saved, you will be asked again: " + e.getMessage());
      }
    }
  }

  private boolean isAgreed() {
    return call.canAsk() && call.isAgreed("Do you trust these options and all commands they run?");
  }

  /**
   * Trusts all files.
   *
   * @throws RalphException if the trust cannot be saved
   */
  public void grant() {
    parts.forEach(part -> trust.grant(part.file(), part.text()));
  }
}
