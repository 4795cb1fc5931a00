package dev.ralph.cli.loop;

import dev.ralph.Session;
import dev.ralph.cli.call.Arguments;
import dev.ralph.cli.call.CommandSyntax;
import dev.ralph.cli.call.Invocation;
import dev.ralph.cli.call.Json;
import dev.ralph.cli.call.UsageException;
import dev.ralph.cli.github.IssueTasks;
import dev.ralph.cli.session.OfferForm;
import dev.ralph.cli.task.ListedTasks;
import dev.ralph.cli.text.SafeText;
import dev.ralph.core.internal.host.SessionOffer;
import dev.ralph.core.internal.host.SessionOffers;
import dev.ralph.core.internal.process.Git;
import dev.ralph.log.RalphException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Optional;
import java.util.Set;
import org.apache.commons.cli.Option;
import org.jspecify.annotations.Nullable;

/** {@code ralph build --detach}: offers a session to hosts. */
final class DetachedBuild {

  /**
   * The options that define the work. All other options define its execution, which the host
   * decides.
   */
  private static final Set<String> MEANT =
      Set.of(
          "detach", "label", "name", "store", "prompt", "spec", "tasks", "no-tick", "yes", "quiet",
          "json", "help");

  /** The options that cannot be combined with {@code --detach}. */
  private static final Set<String> NEVER = Set.of("change", "dry-run", "worktree", "pr", "watch");

  private static final Duration PATIENCE = Duration.ofSeconds(30);

  private final Invocation call;
  private final Git git;

  /**
   * @param syntax the syntax of {@code ralph build}
   * @throws UsageException if an option applies only to the host
   */
  DetachedBuild(Invocation call, CommandSyntax syntax) {
    this.call = call;
    this.git = new Git(call.environment().directory(), PATIENCE);
    for (Option option : syntax.inOrder()) {
      String name = option.getLongOpt();
      if (call.arguments().has(name) && !MEANT.contains(name)) {
        throw new UsageException(
            "--"
                + name
                + (NEVER.contains(name)
                    ? " cannot be combined with --detach"
                    : " is for the host; give it to ralph work"));
      }
    }
  }

  void run() {
    Arguments arguments = call.arguments();
    TypedTask typed = TypedTask.of(call);
    String name = call.sessionName();
    String list = arguments.text("tasks"); // before the prompt, which reads standard input
    @Nullable ListedTasks tasks = list == null ? null : ListedTasks.read(call, list);
    Prompt prompt = Prompt.of(call);
    Path spec = BuildCommand.spec(call, prompt, typed != null || tasks != null && !tasks.isEmpty());
    SessionOffer offer = place(spec);
    for (String label : arguments.values("label")) {
      offer = offer.label(label);
    }
    String own = prompt.own();
    if (own != null) {
      offer = offer.prompt(own);
    }
    call.stores().openOrCreate();
    Session session = call.sessionOrNew();
    if (tasks != null) {
      tasks.addTo(session);
    }
    if (typed != null) {
      call.reportCreation();
      typed.addTo(session);
    }
    IssueTasks.show(call, session);
    SessionOffers.of(call.store().ralph()).put(name, offer);
    call.reportCreation();
    if (call.json()) {
      call.print(
          Json.of("offered").with("session", name).with("offer", OfferForm.json(offer)).json());
    } else {
      call.print(
          "Offered "
              + name
              + " to hosts ("
              + SafeText.line(offer.toString())
              + "); start a host with: ralph work");
    }
  }

  /** Returns an offer that starts at the commit checked out here. */
  private SessionOffer place(@Nullable Path spec) {
    Optional<String> top = line("rev-parse", "--show-toplevel");
    if (top.isEmpty()) {
      if (spec != null) {
        throw RalphException.invalid(
            "the spec "
                + spec
                + " is not in a Git repository, so hosts cannot fetch it; give the work by --prompt"
                + " or by tasks");
      }
      call.warn("not a Git repository; the host will work in an empty folder");
      return SessionOffer.anywhere();
    }
    String commit =
        line("rev-parse", "--verify", "--quiet", "HEAD^{commit}")
            .orElseThrow(
                () ->
                    RalphException.invalid(
                        "the repository " + top.get() + " has no commits; commit first"));
    String branch = line("symbolic-ref", "--quiet", "--short", "HEAD").orElse(null);
    SessionOffer offer = SessionOffer.of(repository(commit, branch), branch, commit);
    String folder = folder();
    if (!folder.isEmpty()) {
      offer = offer.folder(folder);
    }
    warnOfChanges();
    return spec == null ? offer : offer.spec(committed(Path.of(top.get()), spec));
  }

  /**
   * Returns the current folder relative to the top of the repository, where the agent has to work;
   * "" for the top.
   */
  private String folder() {
    String prefix = git.query("rev-parse", "--show-prefix").orElse("").stripTrailing();
    String folder = prefix.endsWith("/") ? prefix.substring(0, prefix.length() - 1) : prefix;
    if (!folder.isEmpty() && git.query("cat-file", "-e", "HEAD:" + folder).isEmpty()) {
      throw RalphException.invalid(
          "the folder "
              + call.environment().directory()
              + " has no committed files, so hosts cannot work there; commit first, or run ralph in"
              + " another folder of the repository");
    }
    return folder;
  }

  private String repository(String commit, @Nullable String branch) {
    Optional<String> origin = line("remote", "get-url", "origin");
    if (origin.isEmpty()) {
      return HostedBuild.here(git);
    }
    if (line("for-each-ref", "--count=1", "--contains=" + commit, "refs/remotes/origin")
        .isEmpty()) {
      throw RalphException.invalid(
          "the commit "
              + commit.substring(0, 12)
              + " is not in "
              + origin.get()
              + " (last fetched state), so hosts cannot fetch it; run: git push origin "
              + (branch == null ? "HEAD:refs/heads/BRANCH" : branch));
    }
    return origin.get();
  }

  private void warnOfChanges() {
    long changed =
        git.query("status", "--porcelain", "--", ":/", ":(top,exclude).ralph")
            .map(lines -> lines.lines().count())
            .orElse(0L);
    if (changed > 0) {
      call.warn(
          "warning: "
              + changed
              + (changed == 1 ? " file has" : " files have")
              + " uncommitted changes, which the host will not receive");
    }
  }

  /** Returns the path of a committed file in the repository. */
  private String committed(Path top, Path spec) {
    String path;
    try {
      path = top.toRealPath().relativize(spec.toRealPath()).toString();
    } catch (java.io.IOException e) {
      throw RalphException.io("cannot read the spec " + spec, e);
    }
    if (path.startsWith("..") || git.query("cat-file", "-e", "HEAD:" + path).isEmpty()) {
      throw RalphException.invalid(
          "the spec "
              + spec
              + " is not committed in "
              + top
              + ", so hosts cannot fetch the spec; commit it first");
    }
    return path;
  }

  private Optional<String> line(String... arguments) {
    return git.query(arguments).map(String::strip).filter(line -> !line.isEmpty());
  }
}
