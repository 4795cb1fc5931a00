package dev.ralph.cli.github;

import dev.ralph.Control;
import dev.ralph.Iteration;
import dev.ralph.NewTask;
import dev.ralph.Session;
import dev.ralph.Task;
import dev.ralph.cli.call.Invocation;
import dev.ralph.cli.call.UsageException;
import dev.ralph.cli.terminal.Output;
import dev.ralph.cli.text.SafeText;
import dev.ralph.core.internal.host.OfferedSession;
import dev.ralph.core.internal.host.SessionOffers;
import dev.ralph.core.internal.process.Git;
import dev.ralph.log.DamagedException;
import dev.ralph.log.Meta;
import dev.ralph.log.RalphException;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.function.UnaryOperator;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * Issues as tasks. Strangers can write issues, and an agent with a shell reads the text. Therefore
 * only issues of trusted authors are added by default. A task keeps the text of its import, which a
 * person sees before an agent.
 */
public final class IssueTasks {

  private static final Duration PATIENCE = Duration.ofSeconds(30);

  /** The number of issues in an answer of GitHub, which is also GitHub's limit. */
  private static final int PAGE = 100;

  private static final int MOST_PAGES = 10;

  private static final Pattern KEY = Pattern.compile("issue-([0-9a-f]{12})-(\\d{1,18})");

  private final Invocation call;
  private final GitHubRepository repository;
  private final List<Issue> issues;

  private IssueTasks(Invocation call, GitHubRepository repository, List<Issue> issues) {
    this.call = call;
    this.repository = repository;
    this.issues = issues;
  }

  /**
   * Fetches the issues of the remote {@code origin}, and reports the numbers of omitted issues.
   *
   * @throws UsageException if gh or its login is missing, or the remote is not on GitHub
   * @throws RalphException NOT_FOUND if no issue is left; INVALID if gh fails
   */
  public static IssueTasks fetch(Invocation call, IssueQuery query) {
    GitHubCli gh = GitHubCli.of(call.environment(), "--from gh:issues");
    try {
      GitHubRepository repository =
          gh.repository(new Git(call.environment().directory(), PATIENCE));
      List<Issue> all = new ArrayList<>();
      boolean isWhole = false;
      for (int page = 1; page <= MOST_PAGES && !isWhole; page++) {
        isWhole = fetch(gh, repository, fields(query, page), all);
      }
      if (!isWhole) {
        call.warn("only the first " + MOST_PAGES * PAGE + " issues were read; use a label");
      }
      return new IssueTasks(call, repository, chosen(call, all));
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw RalphException.closed("the import of issues");
    }
  }

  private static List<String> fields(IssueQuery query, int page) {
    List<String> fields = new ArrayList<>();
    fields.add("state=open");
    fields.add("sort=created");
    fields.add("direction=asc");
    fields.add("per_page=" + PAGE);
    fields.add("page=" + page);
    if (!query.labels().isEmpty()) {
      fields.add("labels=" + String.join(",", query.labels()));
    }
    return fields;
  }

  /** Adds a page of issues, and returns whether the page is the last. */
  private static boolean fetch(
      GitHubCli gh, GitHubRepository repository, List<String> fields, List<Issue> all)
      throws InterruptedException {
    List<Meta> entries = gh.list(repository, "issues", fields);
    entries.forEach(
        entry -> {
          Issue issue = Issue.of(entry);
          if (issue != null) {
            all.add(issue);
          }
        });
    return entries.size() < PAGE;
  }

  private static List<Issue> chosen(Invocation call, List<Issue> all) {
    List<Issue> chosen = new ArrayList<>();
    List<String> omitted = new ArrayList<>();
    for (Issue issue : all) {
      if (issue.isTrusted() || call.arguments().has("from-anybody")) {
        chosen.add(issue);
      } else {
        omitted.add("#" + issue.number());
      }
    }
    String others =
        "by people who are not members or collaborators: "
            + String.join(", ", omitted)
            + "; to add them too: --from-anybody";
    if (chosen.isEmpty()) {
      throw RalphException.notFound(
          omitted.isEmpty() ? "no open issue found" : "all open issues found are " + others);
    }
    if (!omitted.isEmpty()) {
      call.warn("not added, " + others);
    }
    return chosen;
  }

  /**
   * Adds the issues missing in a session, and warns about issues with a new text. While a loop runs
   * the session, or the session is offered to hosts, shows the added issues and asks for
   * confirmation first, like {@link #show}.
   *
   * @param options completes a task before its addition
   * @return the tasks of all issues
   * @throws UsageException if the person does not agree
   */
  public List<Task> addTo(Session session, UnaryOperator<NewTask> options) {
    Map<String, Task> known = new HashMap<>();
    for (Task task : session.tasks().list()) {
      known.put(String.valueOf(task.key()), task);
    }
    List<NewTask> tasks = new ArrayList<>();
    List<String> added = new ArrayList<>();
    for (Issue issue : issues) {
      String key = key(repository, issue.number());
      String text = call.kept(issue.text(repository.page("issues/" + issue.number())));
      tasks.add(options.apply(NewTask.of(text)).key(key));
      Task task = known.get(key);
      if (task == null) {
        added.add(SafeText.indented(text));
      } else if (!text.equals(content(task))) {
        call.warn(
            "issue #"
                + issue.number()
                + " has changed since its import; t"
                + task.number()
                + " keeps the text of the import. To change the task: ralph task edit"
                + call.sessionWords(session.name())
                + " t"
                + task.number()
                + " TEXT");
      }
    }
    if (isWithinReach(session)) {
      show(call, added, "no issue was added");
    }
    return session.tasks().addAll(tasks);
  }

  /** Returns whether an agent may read new tasks before a {@code build} shows their texts. */
  private boolean isWithinReach(Session session) {
    return session.control().running().filter(Control.RunningLoop::live).isPresent()
        || SessionOffers.of(call.store().ralph())
            .find(session.name())
            .filter(OfferedSession::isOpen)
            .isPresent();
  }

  static String key(GitHubRepository repository, long number) {
    return "issue-" + repository.id() + "-" + number;
  }

  /** Returns the number of a task's issue in a repository, or 0. */
  static long number(GitHubRepository repository, Task task) {
    Matcher key = KEY.matcher(String.valueOf(task.key()));
    return key.matches() && key.group(1).equals(repository.id()) ? Long.parseLong(key.group(2)) : 0;
  }

  private static String content(Task task) {
    try {
      return task.content();
    } catch (DamagedException lostContent) {
      return "";
    }
  }

  /**
   * Shows the open issues that no agent has read yet. Asks for confirmation on a terminal, unless
   * the call has {@code --yes}.
   *
   * @throws UsageException if the person does not agree
   */
  public static void show(Invocation call, Session session) {
    Instant last = session.iterations().last().map(Iteration::started).orElse(Instant.MIN);
    List<String> unread = new ArrayList<>();
    String first = "";
    for (Task task : session.tasks().list().open()) {
      if (KEY.matcher(String.valueOf(task.key())).matches() && task.added().isAfter(last)) {
        first = first.isEmpty() ? "t" + task.number() : first;
        unread.add("t" + task.number() + "  " + SafeText.indented(content(task)));
      }
    }
    show(
        call,
        unread,
        "nothing was run; to cancel a task: ralph task cancel"
            + call.sessionWords(session.name())
            + " "
            + first);
  }

  /**
   * @param refusal the message if the person does not agree
   */
  private static void show(Invocation call, List<String> texts, String refusal) {
    if (texts.isEmpty()) {
      return;
    }
    Output err = call.environment().err();
    err.line("Issues that an agent reads for the first time:");
    for (String text : texts) {
      err.line("");
      err.line(text);
    }
    err.line("");
    err.flush();
    if (call.canAsk()
        && !call.arguments().has("yes")
        && !call.isAgreed("Run an agent on these texts?")) {
      throw new UsageException(refusal);
    }
  }
}
