package dev.ralph.cli.loop;

import dev.ralph.cli.call.ConfigFile;
import dev.ralph.cli.call.ConfigLine;
import dev.ralph.cli.call.Environment;
import dev.ralph.cli.call.Invocation;
import dev.ralph.cli.call.Trust;
import dev.ralph.cli.call.UsageException;
import dev.ralph.cli.text.SafeText;
import dev.ralph.core.internal.text.CommandLineWords;
import dev.ralph.log.RalphException;
import dev.ralph.openspec.Change;
import dev.ralph.openspec.Verification;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;

/**
 * What the files of a project would have {@code ralph build} do. A project may be somebody else's,
 * so its user sees that, and says once whether it may be done, before anything is.
 */
final class ProjectTrust {

  /** Stands for the checks of a project that does not name them: what they are may change. */
  private static final String BY_BUILD_FILES = "what its build files suggest";

  /**
   * Something to trust.
   *
   * @param file where it stands
   * @param text what is trusted there
   * @param lines what that means, for people
   */
  private record Part(Path file, String text, List<String> lines) {}

  private final Invocation call;
  private final Trust trust;
  private final List<Part> parts = new ArrayList<>();

  ProjectTrust(Invocation call) {
    this.call = call;
    this.trust = call.environment().trust();
  }

  /** Adds what a project's options are. */
  ProjectTrust config(BuildConfig config) {
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
   * @param project whose checks they are
   * @param place where they are looked for: the project, or its folder in another work tree
   */
  ProjectTrust checks(Path project, Path place) {
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

  /** Returns what trusts that file: it is asked for where the file holds. */
  private String command(Path file) {
    Path project = call.projectFolder(Change.FOLDER);
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
  List<Path> files() {
    return parts.stream().map(Part::file).toList();
  }

  /** Returns, for people, what all of them mean. */
  List<String> lines() {
    return lines(parts);
  }

  private static List<String> lines(List<Part> parts) {
    List<String> lines = new ArrayList<>();
    for (Part part : parts) {
      boolean isGuess = part.text().equals(BY_BUILD_FILES);
      lines.add(
          isGuess
              ? "ralph build --change would take from the project's build files:"
              : "ralph build would take from " + SafeText.line(part.file().toString()) + ":");
      lines.addAll(part.lines());
    }
    return lines;
  }

  /**
   * Makes sure that the user trusts all of it: on a terminal by a question.
   *
   * @throws UsageException if he does not, or can't be asked
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
            "nothing was run, because you have not trusted "
                + unknown.get(0).file()
                + " as it is now; if it may do that, run: "
                + command(unknown.get(0).file())
                + " (or build with --yes)");
      }
    }
    for (Part part : unknown) {
      keep(part);
    }
  }

  /**
   * Makes sure that the user trusts all of what stands in a project that was fetched for a session,
   * without a question. What another project's file says, which he has trusted, is trusted here
   * too.
   *
   * @param own the options that the caller goes by
   * @throws UsageException if he does not
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
                + " that you have not trusted as they are now; if it may do that, run: (cd "
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
        call.warn("warning: you will be asked again: " + e.getMessage());
      }
    }
  }

  private boolean isAgreed() {
    Environment environment = call.environment();
    if (call.json() || !environment.isTypedIn() || !environment.err().isTerminal()) {
      return false;
    }
    return call.isAgreed("Do you trust that, and everything it runs?");
  }

  /**
   * Trusts all of it.
   *
   * @throws RalphException if that can't be kept
   */
  void grant() {
    parts.forEach(part -> trust.grant(part.file(), part.text()));
  }
}
