package dev.ralph.cli.github;

import dev.ralph.cli.call.Environment;
import dev.ralph.cli.call.UsageException;
import dev.ralph.cli.text.SafeText;
import dev.ralph.core.internal.process.CommandResult;
import dev.ralph.core.internal.process.Git;
import dev.ralph.core.internal.process.ProcessSpec;
import dev.ralph.core.internal.text.TextExcerpt;
import dev.ralph.log.Meta;
import dev.ralph.log.RalphException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/**
 * Runs {@code gh}, GitHub's command line, by argument vectors and without prompts. Texts of other
 * people are passed as JSON on standard input. Immutable.
 */
final class GitHubCli {

  /** The remote of a checkout whose repository is used. */
  static final String REMOTE = "origin";

  private static final Duration LIMIT = Duration.ofSeconds(60);
  private static final Duration GRACE = Duration.ofSeconds(2);
  private static final int MOST_OUTPUT = 32 * 1024 * 1024;
  private static final int LONGEST_REASON = 500;

  /** The exit code of gh without a login. */
  private static final int NO_LOGIN = 4;

  private static final String VALUE = "value";

  /** The line of {@code ssh -G} with the host. */
  private static final String HOST_NAME = "hostname ";

  /** An address for SSH; the groups are the host and the path. */
  private static final Pattern SSH =
      Pattern.compile(
          "(?:ssh://)?(?:[A-Za-z0-9._][A-Za-z0-9._-]*@)?([A-Za-z0-9][A-Za-z0-9._-]*)"
              + "(?::\\d+/|[:/])/?([A-Za-z0-9._-]+/[A-Za-z0-9._-]+)");

  private final Path program;
  private final @Nullable Path ssh;
  private final Path folder;

  private GitHubCli(Path program, @Nullable Path ssh, Path folder) {
    this.program = program;
    this.ssh = ssh;
    this.folder = folder;
  }

  /**
   * Finds the program.
   *
   * @param use the option that needs the program, for the message
   * @throws UsageException if the program is not on the PATH
   */
  static GitHubCli of(Environment environment, String use) {
    Path program = environment.program("gh");
    if (program == null) {
      throw new UsageException(
          use
              + " needs gh, GitHub's command line, which is not on the PATH; install gh from"
              + " https://cli.github.com, then run: gh auth login");
    }
    return new GitHubCli(
        program.toAbsolutePath(), environment.program("ssh"), environment.directory());
  }

  /**
   * Returns the repository of the remote {@code origin}.
   *
   * @throws UsageException if there is no such remote, gh has no login, or the remote is not on
   *     GitHub
   */
  GitHubRepository repository(Git git) throws InterruptedException {
    CommandResult origin = git.run("remote", "get-url", REMOTE);
    if (!origin.isGood()) {
      throw new UsageException(
          "no remote '"
              + REMOTE
              + "' of a Git repository in "
              + folder
              + "; add the repository on GitHub: git remote add "
              + REMOTE
              + " ADDRESS");
    }
    String address = withoutAlias(GitHubRepository.withoutPassword(origin.line()));
    if (address.indexOf(':') < 0 && !address.startsWith("/")) {
      // gh would read a relative folder such as ann/shop as a repository on GitHub.
      throw new UsageException(
          "the remote '"
              + REMOTE
              + "' is a folder, not a repository on GitHub: "
              + RalphException.quote(address)
              + "; to change the address: git remote set-url "
              + REMOTE
              + " ADDRESS");
    }
    try {
      return GitHubRepository.of(
          object(run("", "repo", "view", "--json=url,defaultBranchRef", "--", address)));
    } catch (RalphException e) {
      throw new UsageException(
          "the remote '" + REMOTE + "' can't be used as a repository on GitHub: " + e.getMessage());
    }
  }

  /**
   * Returns an address in which an alias of the user's SSH configuration, as in {@code
   * git@work:ann/shop}, is replaced by the host. The gh command does not resolve such an alias.
   */
  private String withoutAlias(String address) throws InterruptedException {
    Matcher parts = SSH.matcher(address);
    if (ssh == null || !parts.matches()) {
      return address;
    }
    CommandResult answer =
        ProcessSpec.command(ssh.toString(), "-G", "--", parts.group(1))
            .directory(folder)
            .leavesNothing()
            .run(LIMIT, GRACE, MOST_OUTPUT);
    for (String line : answer.isGood() ? answer.output().lines().toList() : List.<String>of()) {
      String host = line.startsWith(HOST_NAME) ? line.substring(HOST_NAME.length()).strip() : "";
      if (GitHubRepository.isHost(host) && !host.equals(parts.group(1))) {
        return "https://"
            + (host.equals("ssh.github.com") ? "github.com" : host)
            + "/"
            + parts.group(2);
      }
    }
    return address;
  }

  /**
   * Reads a list of GitHub's REST interface.
   *
   * @param fields the parameters, as NAME=VALUE
   */
  List<Meta> list(GitHubRepository repository, String resource, List<String> fields)
      throws InterruptedException {
    List<String> arguments = api(repository, "GET");
    fields.forEach(field -> arguments.add("--raw-field=" + field));
    arguments.add(repository.path(resource));
    String answer = run("", arguments.toArray(new String[0]));
    return object("{\"" + VALUE + "\":" + answer + "}").objects(VALUE);
  }

  /**
   * Sends an object to GitHub's REST interface, and returns the answer.
   *
   * @param method {@code POST} or {@code PATCH}
   */
  Meta send(GitHubRepository repository, String method, String resource, Meta body)
      throws InterruptedException {
    List<String> arguments = api(repository, method);
    arguments.add("--input=-");
    arguments.add(repository.path(resource));
    return object(run(body.json(), arguments.toArray(new String[0])));
  }

  private static List<String> api(GitHubRepository repository, String method) {
    return new ArrayList<>(
        List.of(
            "api",
            "--hostname=" + repository.host(),
            "--method=" + method,
            "--header=Accept: application/vnd.github+json"));
  }

  private static Meta object(String json) {
    try {
      return Meta.parse(json);
    } catch (RalphException e) {
      throw RalphException.invalid("gh answered with invalid JSON: " + e.getMessage());
    }
  }

  private String run(String input, String... arguments) throws InterruptedException {
    List<String> command = new ArrayList<>(List.of(program.toString()));
    command.addAll(List.of(arguments));
    CommandResult answer =
        ProcessSpec.command(command)
            .directory(folder)
            .environment("GH_PROMPT_DISABLED", "1")
            .environment("GH_NO_UPDATE_NOTIFIER", "1")
            .environment("GH_PAGER", "cat")
            .environment("NO_COLOR", "1")
            .withoutEnvironment("CLICOLOR_FORCE")
            .withoutEnvironment("GH_FORCE_TTY")
            .withoutEnvironment("GH_DEBUG")
            .withoutEnvironment("GH_REPO")
            .stdin(input)
            .leavesNothing()
            .run(LIMIT, GRACE, MOST_OUTPUT);
    if (answer.isGood()) {
      return answer.output();
    }
    if (answer.exit().code() == NO_LOGIN || answer.errors().contains("gh auth login")) {
      throw new UsageException("gh is not logged in to GitHub; run: gh auth login");
    }
    throw RalphException.invalid(
        "gh " + arguments[0] + " failed: " + TextExcerpt.cut(reason(answer), LONGEST_REASON));
  }

  /** Returns the reason of a failure, with the details in an answer of GitHub. */
  private static String reason(CommandResult answer) {
    StringBuilder reason = new StringBuilder(answer.why());
    try {
      for (Meta error : Meta.parse(answer.output()).objects("errors")) {
        String message = error.string("message");
        reason.append(message == null ? "" : "; " + message);
      }
    } catch (RalphException noJson) {
      // Only answers of GitHub have details.
    }
    return SafeText.line(reason.toString().replace("\n", "; "));
  }
}
