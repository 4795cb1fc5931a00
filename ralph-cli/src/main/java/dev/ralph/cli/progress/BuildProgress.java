package dev.ralph.cli.progress;

import dev.ralph.Control;
import dev.ralph.LoopEvent;
import dev.ralph.LoopResult;
import dev.ralph.Session;
import dev.ralph.StopReason;
import dev.ralph.TaskList;
import dev.ralph.cli.call.Invocation;
import dev.ralph.cli.call.StoreAccess;
import dev.ralph.cli.github.PullRequest;
import dev.ralph.cli.session.ControlForm;
import dev.ralph.cli.terminal.Output;
import dev.ralph.cli.terminal.OutputException;
import dev.ralph.cli.text.TextWidth;
import dev.ralph.core.internal.git.BranchOwner;
import dev.ralph.log.Meta;
import dev.ralph.log.RalphException;
import dev.ralph.openspec.internal.ChangeLoop;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * Prints the progress of a loop. A pipe gets plain lines or JSON events. A terminal gets more lines
 * above a status line, or the page of the session.
 */
public final class BuildProgress implements AutoCloseable {

  /** The time after which an ended loop gives up on an inactive reader. */
  private static final Duration PATIENCE = Duration.ofSeconds(5);

  private static final String SIGNALLED =
      "stopping after a signal: the agent has up to 30s to end; files, tasks and session are kept";

  private static final String SIGNALLED_IN_PUBLICATION =
      "stopping after a signal: the push and the pull request have up to 30s to end; branch, tasks"
          + " and session are kept; ";

  private final Invocation call;
  private final Session session;
  private final StoreAccess store;
  private final BuildBranch branch;
  private final Output out;
  private final boolean quiet;
  private final BuildStatus status;
  private final BuildLines lines;

  /** The status line of the terminal, or null. */
  private @Nullable StatusLine statusLine;

  /** The tasks at the newest read. */
  private volatile BuildLines.Tasks tasks = new BuildLines.Tasks(null, "", null);

  private volatile boolean stopping;
  private volatile boolean nobodyReads;

  private volatile boolean isOver;

  /** Set while the branch is pushed and its pull request is opened. */
  private volatile boolean isPublishing;

  /** Set if the session is complete only after an agent or a person declares completion. */
  private boolean needsClaim;

  /** The pull request of the session's branch, or null. */
  private @Nullable PullRequest pullRequest;

  /** The gates in the description of the pull request. */
  private List<String> gateTexts = List.of();

  /** The page on the terminal, or null if only lines are printed. */
  private @Nullable BuildView view;

  /** The stories of the change, or null without a change. */
  private volatile @Nullable StoryForm stories;

  /**
   * @param header the lines for a person at the start of the loop
   * @param goOn a hint how to continue the session, or an empty text
   * @param branch the branch with the work; a merge receives events before this listener
   * @param limit the iteration limit of this run, or 0 for no limit
   */
  public BuildProgress(
      Invocation call,
      Session session,
      StoreAccess store,
      List<String> header,
      String goOn,
      BuildBranch branch,
      int limit) {
    this.call = call;
    this.session = session;
    this.store = store;
    this.branch = branch;
    this.out = call.environment().out();
    this.quiet = call.arguments().has("quiet");
    this.status = new BuildStatus(limit, quiet, Instant.now());
    String name = session.name();
    String where = call.sessionWords(name);
    this.lines =
        new BuildLines(
            new BuildLines.Run(name, where, header, goOn, out.isTerminal(), call.style()), status);
  }

  /** Shows an event. The loop delivers events sequentially. */
  public synchronized void event(LoopEvent event) {
    out.neverBlock();
    lines.note(event);
    if (event instanceof LoopEvent.LoopEnded ended && stories == null) {
      end();
      publish(ended.result());
    }
    if (nobodyReads || view != null && view.shows(event)) {
      return;
    }
    if (quiet && event.type() == LoopEvent.Type.OUTPUT) {
      return;
    }
    String text = call.json() ? json(event) : text(event);
    if (!text.isEmpty()) {
      print(text);
    }
    if (event.type() == LoopEvent.Type.LOOP_STARTED) {
      keepStatus();
    }
    if (statusLine != null && event.type() != LoopEvent.Type.OUTPUT) {
      statusLine.wake();
    }
  }

  private String json(LoopEvent event) {
    return EventForm.json(
        event,
        event instanceof LoopEvent.LoopEnded ended && stories == null
            ? json(ended.result(), event.time())
            : null);
  }

  private Meta json(LoopResult result, Instant now) {
    RunSummary summary = summary(now);
    PullRequest opened = pullRequest;
    return summary
        .json(opened == null ? null : opened.page(), next(result.reason(), summary))
        .with("pull_request_error", opened == null ? null : opened.error());
  }

  private String text(LoopEvent event) {
    StoryForm change = stories;
    switch (event.type()) {
      case LOOP_STARTED -> {
        return lines.started(change == null ? null : change.begun());
      }
      case LOOP_ENDED -> {
        LoopResult result = ((LoopEvent.LoopEnded) event).result();
        return change == null ? ended(result, event.time()) : change.ended(result);
      }
      case WAITING -> {
        if (((LoopEvent.Waiting) event).reason() == Control.Activity.Kind.PAUSED) {
          return ControlForm.paused(
              session,
              store.frames(),
              call.sessionWords(session.name()),
              call.environment().zone());
        }
      }
      case ITERATION_STARTED, ITERATION_ENDED -> {
        if (out.isTerminal() || event.agent() > 0) {
          readTasks();
        }
      }
      default -> {}
    }
    return lines.of(event, tasks);
  }

  private String ended(LoopResult result, Instant now) {
    RunSummary summary = summary(now);
    return lines.ended(result, summary, next(result.reason(), summary));
  }

  /** Prints a text and a line break. The loop continues and writes its log without a reader. */
  private void print(String text) {
    try {
      out.now(text + "\n");
    } catch (OutputException e) {
      nobodyReads = true;
    }
  }

  private void keepStatus() {
    if (!call.json() && statusLine == null && !isOver && call.environment().canDraw()) {
      statusLine = new StatusLine(this::showStatus);
    }
  }

  /**
   * Shows the page of the session in place of lines if the output is a terminal.
   *
   * @param nextPrompt returns the prompt of the next iteration
   */
  public synchronized void watch(Supplier<String> nextPrompt) {
    if (!call.json() && call.environment().canDraw()) {
      view = new BuildView(call, store, session, nextPrompt, this::continueInLines);
    }
  }

  private synchronized void continueInLines() {
    if (!isOver && !nobodyReads) {
      StoryForm change = stories;
      print(lines.started(change == null ? null : change.begun()));
      keepStatus();
    }
  }

  /** Restores the terminal before the last lines. */
  private void end() {
    isOver = true;
    if (view != null) {
      view.hide();
    }
  }

  /**
   * Publishes the branch of the session at the end.
   *
   * @param gates the gates as text
   */
  public synchronized void publish(PullRequest opened, List<String> gates) {
    pullRequest = opened;
    gateTexts = gates;
  }

  private void publish(LoopResult result) {
    PullRequest opened = pullRequest;
    if (opened == null) {
      return;
    }
    isPublishing = true;
    try {
      opened.publish(
          result.reason(),
          new PullRequest.Contents(
              session,
              BranchOwner.of(store.frames(), session.name()).id(),
              gateTexts,
              RunSummary.all(session)));
    } finally {
      isPublishing = false;
    }
  }

  /** Returns whether the publication of the branch failed. */
  public synchronized boolean isUnpublished() {
    PullRequest opened = pullRequest;
    return opened != null && opened.error() != null;
  }

  /** Reports at the end if all work is done, but nobody has declared completion. */
  public synchronized void requireClaim() {
    needsClaim = true;
  }

  /** Reports on a terminal that a signal ends the loop. */
  public void signalled() {
    if (isPublishing) { // by a thread that holds the lock
      reportSignalInPublication();
    } else if (!isOver) {
      reportSignal();
    }
  }

  private void reportSignalInPublication() {
    if (!call.json() && out.isTerminal()) {
      print(SIGNALLED_IN_PUBLICATION + call.retry(session.name()));
    }
  }

  private synchronized void reportSignal() {
    if (call.json() || !out.isTerminal() || isOver || nobodyReads) {
      return;
    }
    if (view == null || !view.showMessage(SIGNALLED)) {
      print(SIGNALLED);
    }
  }

  /** Shows the stories of a change in addition to the loop's progress. */
  public synchronized void follow(ChangeLoop loop) {
    stories = new StoryForm(loop);
  }

  /** Shows the end of a change. The end of a single loop is shown by its last event. */
  public synchronized void ended(LoopResult result) {
    if (stories == null) {
      end();
      return;
    }
    branch.ended(result);
    end();
    publish(result);
    if (nobodyReads) {
      return;
    }
    Instant now = Instant.now();
    print(
        call.json()
            ? StoryForm.json(session.name(), result, json(result, now))
            : ended(result, now));
  }

  /** Returns whether the newest iteration of this run failed. */
  public synchronized boolean lastFailed() {
    return lines.lastFailed();
  }

  private RunSummary summary(Instant now) {
    readTasks();
    return new RunSummary(
        tasks.counts(),
        status.iterations(),
        status.elapsed(now),
        status.usage(),
        branch.commits().count());
  }

  /** Returns whether all work is done, but nobody has declared completion. */
  private boolean isUndeclared() {
    TaskList known = tasks.list();
    if (!needsClaim || !lines.mayBeComplete() || known == null || known.isEmpty()) {
      return false;
    }
    try {
      return session.control().outstanding().isEmpty();
    } catch (RalphException storeRefused) {
      return false;
    }
  }

  /** Returns the next commands for a person. */
  private List<String> next(StopReason reason, RunSummary summary) {
    List<String> work = new ArrayList<>();
    boolean isComplete = reason == StopReason.COMPLETED;
    if (isComplete && stories == null && status.iterations() == 0) {
      work.add("no open work");
    }
    if (pullRequest != null) {
      work.addAll(pullRequest.resultLines());
    }
    // A completed change reports its branch itself.
    work.addAll(branch.next(stories != null && isComplete));
    if (branch.isUsers() && (call.json() || out.isTerminal())) {
      work.addAll(summary.toSeeCommits());
    }
    return lines.next(reason, work, quiet || view != null, !isComplete && isUndeclared());
  }

  private void readTasks() {
    try {
      TaskList known = session.tasks().list();
      StoryForm change = stories;
      if (change != null) {
        tasks = change.tasks(known);
      } else {
        boolean isDone = known.open().isEmpty();
        tasks = BuildLines.Tasks.of(known, isDone ? session.inbox().unread() : List.of());
      }
      stopping = session.control().isStopping();
    } catch (RalphException storeRefused) {
      // The page keeps the values of the previous read.
    }
  }

  private void showStatus(int columns) {
    readTasks();
    draw(columns);
  }

  private synchronized void draw(int columns) {
    String line = status.line(Instant.now(), tasks.list(), tasks.done(), stopping);
    String story = stories == null ? "" : stories.place() + "  ";
    // The last column stays empty, because some terminals wrap after it.
    footer(call.style().faint(TextWidth.cut(story + line, columns - 1)));
  }

  private void footer(String line) {
    if (!nobodyReads) {
      try {
        out.footer(line);
        out.flush();
      } catch (OutputException e) {
        nobodyReads = true;
      }
    }
  }

  /** Removes the page and the status line, and writes pending output. */
  @Override
  public void close() {
    StatusLine running;
    BuildView page;
    synchronized (this) {
      isOver = true;
      page = view;
      running = statusLine;
      statusLine = null;
    }
    if (page != null) {
      page.close();
    }
    if (running != null) {
      running.close();
    }
    synchronized (this) {
      footer("");
    }
    out.finish(PATIENCE);
  }
}
