package dev.ralph.cli.github;

import dev.ralph.Session;
import dev.ralph.StopReason;
import dev.ralph.cli.call.Invocation;
import dev.ralph.cli.call.UsageException;
import dev.ralph.cli.text.SafeText;
import dev.ralph.core.internal.git.GitTrees;
import dev.ralph.core.internal.git.RemoteBranch;
import dev.ralph.core.internal.git.SessionNames;
import dev.ralph.core.internal.process.Git;
import dev.ralph.core.internal.process.GitHead;
import dev.ralph.core.internal.text.TextExcerpt;
import dev.ralph.log.Meta;
import dev.ralph.log.RalphException;
import java.net.URLEncoder;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Locale;
import java.util.Objects;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * The draft pull request of a session's branch. Created before the first agent runs, so that an
 * agent cannot choose the repository. Not thread-safe.
 */
public final class PullRequest {

  /**
   * The contents of the pull request.
   *
   * @param id the id of the session in its store
   * @param gates the gates as text
   * @param run the iterations, the time and the cost of the session as text
   */
  public record Contents(Session session, String id, List<String> gates, String run) {}

  private static final Duration PATIENCE = Duration.ofMinutes(5);
  private static final int LONGEST_REASON = 1_000;

  /** The ends of a run after which the branch is pushed; others are failures of the run itself. */
  private static final Set<StopReason> PUBLISHED =
      Set.of(
          StopReason.COMPLETED,
          StopReason.STOPPED,
          StopReason.MAX_ITERATIONS,
          StopReason.TIME_LIMIT,
          StopReason.FAILURES,
          StopReason.NO_PROGRESS,
          StopReason.BUDGET,
          StopReason.GATE_FAILED,
          StopReason.TASKS_BLOCKED);

  private final Invocation call;
  private final Path folder;
  private final SessionNames names;
  private final GitHubCli gh;
  private final GitHubRepository repository;

  /** The addresses to which git pushes. */
  private final String addresses;

  /** The branch into which the work is to be merged. */
  private final String base;

  private List<String> said = List.of();
  private @Nullable String page;
  private @Nullable String error;

  private PullRequest(
      Invocation call,
      SessionNames names,
      GitHubCli gh,
      GitHubRepository repository,
      @Nullable String userBranch)
      throws InterruptedException {
    this.call = call;
    this.folder = call.environment().directory();
    this.names = names;
    this.gh = gh;
    this.repository = repository;
    this.addresses = addresses();
    boolean isThere =
        userBranch != null
            && !userBranch.equals(names.branch())
            && remote(userBranch).readCommit() != null;
    this.base = isThere ? Objects.requireNonNull(userBranch) : repository.defaultBranch();
  }

  /**
   * Checks the requirements of a pull request before a run.
   *
   * @param name the name of the session's branch, without its prefix
   * @throws UsageException if gh or its login is missing, or {@code origin} is not on GitHub
   * @throws RalphException INVALID if {@code origin} can't be read
   */
  public static PullRequest prepare(Invocation call, String name) {
    Path folder = call.environment().directory();
    GitHubCli gh = GitHubCli.of(call.environment(), "--pr");
    try {
      GitHubRepository repository = gh.repository(new Git(folder, PATIENCE));
      if (repository.defaultBranch().isEmpty()) {
        throw new UsageException(
            "the repository "
                + repository.page("")
                + " has no commits; push your branch first: git push origin HEAD");
      }
      String branch = GitHead.of(folder).branch();
      return new PullRequest(call, new SessionNames(name), gh, repository, branch);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw RalphException.closed("the preparation of the pull request");
    }
  }

  /** Pushes the branch and opens or updates the pull request at the end of a run. */
  public void publish(StopReason reason, Contents contents) {
    if (!PUBLISHED.contains(reason)) {
      said = List.of("no pull request after " + reason.name().toLowerCase(Locale.ROOT));
      return;
    }
    try {
      said = List.of(published(reason, contents));
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    } catch (UsageException | RalphException e) {
      error = reason(e);
      said =
          List.of(
              "no pull request: " + error,
              call.retry(contents.session().name())
                  + "; by hand, after a push: "
                  + repository.page(
                      "compare/" + encoded(base) + "..." + encoded(names.branch()) + "?expand=1"));
    }
  }

  /** Returns the message of a failure on a single line. It may quote the answer of a server. */
  private static String reason(RuntimeException e) {
    String message = Objects.requireNonNullElse(e.getMessage(), e.toString());
    String line = SafeText.line(message.strip().replaceAll("\\s*\\R\\s*", "; "));
    return TextExcerpt.cut(line, LONGEST_REASON);
  }

  /** Returns the name of a branch for an address. */
  private static String encoded(String branch) {
    return URLEncoder.encode(branch, StandardCharsets.UTF_8).replace("%2F", "/");
  }

  private String published(StopReason reason, Contents contents) throws InterruptedException {
    String nothing = nothingToPublish();
    if (nothing != null) {
      return "no pull request: " + nothing;
    }
    push();
    PullRequestText text =
        new PullRequestText(
            contents.session().name(),
            contents.id(),
            repository,
            contents.session().tasks().list(),
            call.stores().address().redactor());
    String section = text.section(reason, contents.gates(), contents.run());
    Meta known = opened();
    if (known == null) {
      Meta body =
          Meta.of("title", text.title())
              .with("body", section)
              .with("head", names.branch())
              .with("base", base)
              .with("draft", true);
      return "opened the draft pull request " + page(gh.send(repository, "POST", "pulls", body));
    }
    String description = known.string("body");
    String replaced = text.replaced(description == null ? "" : description, section);
    String shown = page(known);
    if (replaced == null) {
      return "pushed to the pull request " + shown + "; its description is unchanged";
    }
    long number = known.integer("number").orElseThrow(() -> RalphException.invalid("no number"));
    gh.send(repository, "PATCH", "pulls/" + number, Meta.of("body", replaced));
    return "updated the pull request " + shown;
  }

  /** Records the address of a pull request, and returns the address. */
  private String page(Meta answer) {
    long number = answer.integer("number").orElse(0);
    if (number <= 0) {
      throw RalphException.invalid("gh answered without the number of the pull request");
    }
    page = repository.page("pull/" + number);
    return page;
  }

  /**
   * Returns the open pull request of the branch, or null. GitHub ignores an invalid filter, so the
   * answer may contain pull requests of other branches.
   */
  private @Nullable Meta opened() throws InterruptedException {
    List<String> fields =
        List.of("state=open", "head=" + repository.owner() + ":" + names.branch());
    for (Meta each : gh.list(repository, "pulls", fields)) {
      Meta from = each.object("head");
      Meta place = from == null ? null : from.object("repo");
      if (from != null
          && place != null
          && names.branch().equals(from.string("ref"))
          && (repository.owner() + "/" + repository.name())
              .equalsIgnoreCase(place.string("full_name"))) {
        return each;
      }
    }
    return null;
  }

  /**
   * Returns the reason not to publish, or null. Compares with the branch on GitHub, because the
   * user may have merged the work locally without a push.
   */
  private @Nullable String nothingToPublish() throws InterruptedException {
    if (!GitTrees.has(git(), head())) {
      return "no commits on " + names.branch();
    }
    RemoteBranch target = remote(base);
    String tip = target.readCommit();
    if (tip != null && !git().run("cat-file", "-e", tip + "^{commit}").isGood()) {
      tip = target.fetch();
    }
    if (tip != null && GitTrees.isWithin(git(), head(), tip)) {
      return "no commits on " + names.branch() + " that " + base + " on GitHub lacks";
    }
    return null;
  }

  private void push() throws InterruptedException {
    if (!addresses().equals(addresses)) {
      throw RalphException.invalid(
          "the address of the remote "
              + GitHubCli.REMOTE
              + " was changed during the run, so nothing was pushed; to see the addresses: git"
              + " remote -v");
    }
    RemoteBranch remote = remote(names.branch());
    String theirs = remote.readCommit();
    if (theirs != null && !GitTrees.isWithin(git(), theirs, head())) {
      throw others();
    }
    remote.mayReplace(theirs);
    remote.push(
        () -> GitTrees.require("git rev-parse", git().run("rev-parse", "--verify", head())).line(),
        () -> {},
        () -> {
          throw others();
        });
  }

  private RalphException others() {
    return RalphException.invalid(
        GitHubCli.REMOTE
            + " has commits on "
            + names.branch()
            + " that this branch lacks, so nothing was pushed; to merge them: git fetch "
            + GitHubCli.REMOTE
            + " "
            + names.branch()
            + ", then git merge FETCH_HEAD in a work tree of the branch");
  }

  private String head() {
    return SessionNames.head(names.branch());
  }

  private RemoteBranch remote(String branch) {
    return new RemoteBranch(git(), GitHubCli.REMOTE, branch, names.refs() + "there");
  }

  private Git git() {
    return new Git(folder, PATIENCE, RemoteBranch.ONLY_THESE).withoutTerminal(PATIENCE);
  }

  private String addresses() throws InterruptedException {
    return GitTrees.require(
            "git remote get-url",
            git().run("remote", "get-url", "--push", "--all", GitHubCli.REMOTE))
        .output();
  }

  /** Returns the result for a person, as lines; empty before the end of the run. */
  public List<String> resultLines() {
    return said;
  }

  /** Returns the address of the pull request, or null if there is none. */
  public @Nullable String page() {
    return page;
  }

  /** Returns the reason that the push or the pull request failed; null without a failure. */
  public @Nullable String error() {
    return error;
  }
}
