package dev.ralph.cli.progress;

import dev.ralph.Control;
import dev.ralph.Iteration;
import dev.ralph.LoopEvent;
import dev.ralph.LoopResult;
import dev.ralph.Session;
import dev.ralph.StopReason;
import dev.ralph.TaskList;
import dev.ralph.Usage;
import dev.ralph.cli.call.ExitCode;
import dev.ralph.cli.call.Invocation;
import dev.ralph.cli.call.StoreAccess;
import dev.ralph.cli.github.PullRequest;
import dev.ralph.cli.inbox.QuestionForm;
import dev.ralph.cli.session.ControlForm;
import dev.ralph.cli.terminal.ControllingTerminal;
import dev.ralph.cli.terminal.Output;
import dev.ralph.cli.terminal.OutputException;
import dev.ralph.cli.terminal.Style;
import dev.ralph.cli.text.Durations;
import dev.ralph.cli.text.SafeText;
import dev.ralph.cli.text.TextWidth;
import dev.ralph.core.internal.git.BranchOwner;
import dev.ralph.core.internal.process.ThreadEnd;
import dev.ralph.log.Meta;
import dev.ralph.log.RalphException;
import dev.ralph.openspec.ChangeLoop;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * Shows the progress of a loop. A pipe gets plain lines or JSON events. A terminal gets more lines
 * above a status line, or the page of the session.
 */
public final class BuildProgress implements AutoCloseable {

  /** The number of recent lines of the agent that the report of a failure need not repeat. */
  private static final int REMEMBERED = 100;

  /** The least duration of a gate that is shown. */
  private static final Duration LONG_STEP = Duration.ofSeconds(1);

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
  private final List<String> header;
  private final String goOn;
  private final BuildBranch branch;
  private final Output out;
  private final Style style;
  private final boolean quiet;
  private final BuildStatus status;
  private final Deque<String> printed = new ArrayDeque<>();
  private @Nullable Ticker ticker;
  private volatile @Nullable TaskList tasks;

  /** The number of completed tasks of the total, as text. */
  private volatile String done = "";

  private volatile boolean stopping;
  private @Nullable String lastSummary;
  private List<String> lastRefusal = List.of();
  private boolean lastFailed;
  private int lastIteration;
  private boolean nobodyReads;
  private boolean hasBegun;

  private volatile boolean isOver;

  /** Set while the branch is pushed and its pull request is opened. */
  private volatile boolean isPublishing;

  /** Set if the session is complete only after an agent or a person declares completion. */
  private boolean needsClaim;

  /** The pull request of the session's branch, or null. */
  private @Nullable PullRequest pullRequest;

  /** The gates in the description of the pull request. */
  private List<String> gateTexts = List.of();

  /** Set after a refused completion, until the next iteration. */
  private boolean isRefused;

  /** The start times of running gates by agent. */
  private final Map<Integer, Instant> gates = new HashMap<>();

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
    this.header = header;
    this.goOn = goOn;
    this.branch = branch;
    this.out = call.environment().out();
    this.style = call.style();
    this.quiet = call.arguments().has("quiet");
    this.status = new BuildStatus(limit, quiet, Instant.now());
  }

  /** Shows an event. The loop delivers events sequentially. */
  public synchronized void event(LoopEvent event) {
    out.neverBlock();
    status.note(event);
    String gateTime = note(event);
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
    try {
      String text = call.json() ? json(event) : text(event) + gateTime;
      if (!text.isEmpty()) {
        out.now(text + "\n");
      }
      if (event.type() == LoopEvent.Type.LOOP_STARTED) {
        keepStatus();
      }
      if (ticker != null && event.type() != LoopEvent.Type.OUTPUT) {
        ticker.wake();
      }
    } catch (OutputException e) {
      // The loop continues; its actions are in the log even without a reader.
      nobodyReads = true;
    }
  }

  /** Records an event, and returns the duration of a long gate that has ended as text. */
  private String note(LoopEvent event) {
    switch (event.type()) {
      case ITERATION_STARTED -> isRefused = false;
      case COMPLETION_REFUSED -> isRefused = true;
      case ITERATION_ENDED -> {
        lastFailed = Hooks.isFailure(event);
        lastIteration = event.iteration();
      }
      case GATE_STARTED -> gates.put(event.agent(), event.time());
      case GATE -> {
        Instant began = gates.remove(event.agent());
        Duration took = began == null ? Duration.ZERO : Duration.between(began, event.time());
        boolean isShown = ((LoopEvent.GateEnded) event).verdict().isPassed() && out.isTerminal();
        return isShown && took.compareTo(LONG_STEP) >= 0 ? faint(Durations.format(took)) : "";
      }
      default -> {}
    }
    return "";
  }

  private String json(LoopEvent event) {
    if (event instanceof LoopEvent.LoopEnded ended && stories == null) {
      return EventForm.json(event, json(ended.result(), event.time()));
    }
    return EventForm.json(event);
  }

  private Meta json(LoopResult result, Instant now) {
    RunSummary summary = summary(now);
    PullRequest opened = pullRequest;
    return summary
        .json(opened == null ? null : opened.page(), next(result.reason(), summary))
        .with("pull_request_error", opened == null ? null : opened.error());
  }

  private void keepStatus() {
    if (!call.json() && ticker == null && !isOver && call.environment().canDraw()) {
      ticker = new Ticker();
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
    if (isOver || nobodyReads) {
      return;
    }
    try {
      out.now(started() + "\n");
      keepStatus();
    } catch (OutputException e) {
      nobodyReads = true;
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
    if (call.json() || !out.isTerminal()) {
      return;
    }
    try {
      out.now(SIGNALLED_IN_PUBLICATION + call.retry(session.name()) + "\n");
    } catch (OutputException noReader) {
      // The publication continues without a reader.
    }
  }

  private synchronized void reportSignal() {
    if (call.json() || !out.isTerminal() || isOver || nobodyReads) {
      return;
    }
    if (view != null && view.showMessage(SIGNALLED)) {
      return;
    }
    try {
      out.now(SIGNALLED + "\n");
    } catch (OutputException e) {
      nobodyReads = true;
    }
  }

  /** Shows the stories of a change in addition to the loop's progress. */
  public synchronized void follow(ChangeLoop loop) {
    stories = new StoryForm(loop);
  }

  /** Shows the end of a change. The end of a single loop is shown by its last event. */
  public synchronized void ended(LoopResult result) {
    if (stories != null) {
      branch.ended(result);
    }
    end();
    if (stories != null) {
      publish(result);
    }
    if (stories == null || nobodyReads) {
      return;
    }
    try {
      if (call.json()) {
        out.now(StoryForm.json(session.name(), result, json(result, Instant.now())) + "\n");
      } else {
        out.now(ended(result, Instant.now()) + "\n");
      }
    } catch (OutputException e) {
      nobodyReads = true;
    }
  }

  /** Returns whether the newest iteration of this run failed. */
  public synchronized boolean lastFailed() {
    return lastFailed;
  }

  private String text(LoopEvent event) {
    String message = SafeText.text(event.message());
    return switch (event.type()) {
      case LOOP_STARTED -> started();
      case ITERATION_STARTED -> iterationStarted((LoopEvent.IterationStarted) event);
      case OUTPUT -> output(event);
      case ITERATION_ENDED -> iterationEnded((LoopEvent.IterationEnded) event);
      case LOOP_ENDED ->
          stories == null
              ? ended(((LoopEvent.LoopEnded) event).result(), event.time())
              : stories.ended(((LoopEvent.LoopEnded) event).result());
      case WAITING -> waiting((LoopEvent.Waiting) event, message);
      case QUESTION -> answerable(message, "q" + ((LoopEvent.Asked) event).question().number());
      case GATE -> ((LoopEvent.GateEnded) event).verdict().isPassed() ? message : "";
      case COMPLETION_REFUSED -> refused(((LoopEvent.CompletionRefused) event).reasons(), message);
      case NOTICE, ORPHANS_ENDED, MESSAGE_READ, MERGED -> by(event) + message;
      case SENT_BACK -> message + rest(((LoopEvent.SentBack) event).reason());
      case USAGE, GATE_STARTED -> "";
    };
  }

  /** Returns the prefix with the agent's number, or an empty text for a single agent. */
  private static String by(LoopEvent event) {
    return event.agent() == 0 ? "" : "agent " + event.agent() + ": ";
  }

  /** Returns all lines of a text except the first. */
  private static String rest(String text) {
    StringBuilder rest = new StringBuilder();
    text.lines().skip(1).forEach(line -> rest.append("\n  ").append(SafeText.printed(line)));
    return rest.toString();
  }

  private String answerable(String message, String question) {
    return message + " (" + QuestionForm.command(where(), question) + ")";
  }

  // ---- parts of the output

  private String started() {
    String text = header.isEmpty() || hasBegun ? "" : String.join("\n", header) + "\n";
    hasBegun = true;
    if (stories == null) {
      return text;
    }
    return text + (text.isEmpty() ? "" : "\n") + style.heading(stories.begun());
  }

  private String iterationStarted(LoopEvent.IterationStarted event) {
    if (event.agent() == 0) {
      printed.clear();
    }
    String role = event.role() == Iteration.Role.BUILD ? "" : " (" + event.role().word() + ")";
    String heading =
        style.heading(
            session.name()
                + " - Iteration #"
                + event.iteration()
                + role
                + (event.agent() == 0 ? "" : ", agent " + event.agent() + given(event))
                + "...");
    if (!out.isTerminal()) {
      return heading;
    }
    return heading + faint(Durations.format(status.elapsed(Instant.now())), tasksDone());
  }

  private String output(LoopEvent event) {
    String before = event.agent() == 0 ? "  " : "  " + event.agent() + "| ";
    StringBuilder lines = new StringBuilder();
    for (String line : event.message().split("\n", -1)) {
      String shown = SafeText.printed(line);
      lines.append(lines.length() == 0 ? "" : "\n").append(before).append(shown);
      printed.addLast(shown.strip());
    }
    while (printed.size() > REMEMBERED) {
      printed.removeFirst();
    }
    return lines.toString();
  }

  private String iterationEnded(LoopEvent.IterationEnded event) {
    lastSummary = event.summary();
    String why = event.status() == Iteration.Status.SUCCESS ? "" : unsaid(lastSummary);
    String because = why.isEmpty() ? "" : ": " + why;
    String text =
        switch (event.status()) {
          case SUCCESS -> style.good("Done!");
          case FAILURE -> style.bad("Failed") + because;
          case TIMEOUT -> style.bad("Timed out") + because;
          case INTERRUPTED -> "Interrupted" + because;
          case RATE_LIMITED -> "Rate limited" + because;
          case RUNNING -> "";
        };
    String told = by(event) + text;
    if (!out.isTerminal()) {
      return told + "\n";
    }
    Usage usage = event.usage();
    return told
        + faint(
            Durations.format(event.took()),
            tasksDone(),
            usage.equals(Usage.NONE) ? "" : BuildStatus.shortForm(usage))
        + "\n";
  }

  /** Returns a summary without the lines that the agent printed just before. */
  private String unsaid(@Nullable String summary) {
    if (summary == null) {
      return "";
    }
    List<String> lines = new ArrayList<>();
    for (String line : summary.split("\n", -1)) {
      String shown = SafeText.printed(line);
      if (lines.isEmpty() || !isPrinted(shown.strip())) {
        lines.add(shown);
      }
    }
    if (lines.size() == 1 && lines.get(0).endsWith(":")) {
      // the lines after "…; its last lines:" are visible above
      String line = lines.get(0);
      int end = line.lastIndexOf(';');
      return end < 0 ? line.substring(0, line.length() - 1) : line.substring(0, end);
    }
    return String.join("\n  ", lines);
  }

  private boolean isPrinted(String line) {
    if (line.endsWith("…")) {
      String beginning = line.substring(0, line.length() - 1);
      return printed.stream().anyMatch(each -> each.startsWith(beginning));
    }
    return printed.contains(line);
  }

  /** Returns the assignment of an agent in brackets, or an empty text without an assignment. */
  private String given(LoopEvent.IterationStarted event) {
    String task = event.task();
    try {
      return task == null ? "" : " (t" + session.tasks().get(task).number() + ")";
    } catch (RalphException storeRefused) {
      return "";
    }
  }

  /**
   * Returns a refusal with the output of the gates, unless the same output was shown just before.
   */
  private String refused(List<String> reasons, String message) {
    StringBuilder text = new StringBuilder(message);
    if (!reasons.equals(lastRefusal)) {
      for (String reason : reasons) {
        reason.lines().skip(1).forEach(line -> text.append("\n  ").append(SafeText.printed(line)));
      }
    }
    lastRefusal = List.copyOf(reasons);
    return text.toString();
  }

  private String waiting(LoopEvent.Waiting event, String message) {
    if (event.reason() == Control.Activity.Kind.PAUSED) {
      return ControlForm.paused(session, store.frames(), where(), call.environment().zone());
    }
    List<String> open = event.questions();
    return open.isEmpty() ? message : answerable(message, open.get(0));
  }

  private String ended(LoopResult result, Instant now) {
    String message = SafeText.text("loop ended: " + result);
    String detail = result.detail();
    StopReason reason = result.reason();
    // The end of an iteration has already reported its failure. If the store failed, the error of
    // the command reports the cause.
    String told = reason == StopReason.STORE_FAILED ? detail : lastSummary;
    if (detail != null && told != null) {
      String known = ": " + SafeText.text(told);
      message =
          message.endsWith(known)
              ? message.substring(0, message.length() - known.length())
              : message;
    }
    String line = session.name() + ": " + message.replace("\n", "\n  ");
    RunSummary summary = summary(now);
    List<String> next = next(reason, summary);
    if (!out.isTerminal()) {
      // The last line of a pipe is the end, as programs that read only the last line expect.
      return (summary.iterations() == 0 ? "" : session.name() + ": " + summary.line() + "\n")
          + line
          + (next.isEmpty() ? "" : "; " + String.join("; ", next));
    }
    StringBuilder text = new StringBuilder(style.heading(line));
    summary.lines().forEach(each -> text.append("\n  ").append(each));
    next.forEach(each -> text.append("\n  ").append(each));
    return text.toString();
  }

  private RunSummary summary(Instant now) {
    readTasks();
    TaskList known = tasks;
    StoryForm change = stories;
    return new RunSummary(
        known == null
            ? null
            : change == null
                ? RunSummary.Tasks.of(known)
                : RunSummary.Tasks.of(change.count(known), known),
        status.iterations(),
        status.elapsed(now),
        status.usage(),
        branch.commits().count());
  }

  /** Returns whether all work is done, but nobody has declared completion. */
  private boolean isUndeclared() {
    TaskList known = tasks;
    if (!needsClaim || isRefused || lastFailed || known == null || known.isEmpty()) {
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
    List<String> next = new ArrayList<>();
    if (reason == StopReason.COMPLETED && stories == null && status.iterations() == 0) {
      next.add("no open work");
    }
    if (pullRequest != null) {
      next.addAll(pullRequest.resultLines());
    }
    // A completed change reports its branch itself.
    next.addAll(branch.next(stories != null && reason == StopReason.COMPLETED));
    if (branch.isUsers() && (call.json() || out.isTerminal())) {
      next.addAll(summary.toSeeCommits());
    }
    if (goOn.isEmpty() || reason == StopReason.COMPLETED) {
      return next;
    }
    if (reason == StopReason.MAX_ITERATIONS || reason == StopReason.STOPPED) {
      // Only for these reasons the exit code is not obvious.
      next.add("exit code " + ExitCode.of(reason, lastFailed));
    }
    if (lastFailed && (quiet || view != null)) {
      next.add("to see why: ralph iterations" + where() + " --transcript " + lastIteration);
    }
    if (reason == StopReason.STORE_FAILED) {
      next.add("to see why: ralph doctor");
    }
    if (isUndeclared()) {
      // At the iteration limit the reason of the end already says so.
      next.add(
          (reason == StopReason.MAX_ITERATIONS
                  ? ""
                  : "all tasks are done, but nobody declared completion; ")
              + "to declare completion: ralph complete"
              + where());
    }
    next.add(goOn);
    return next;
  }

  private String where() {
    return call.sessionWords(session.name());
  }

  private String tasksDone() {
    readTasks();
    return done;
  }

  private void readTasks() {
    try {
      TaskList known = session.tasks().list();
      StoryForm change = stories;
      tasks = known;
      done = change == null ? BuildStatus.tasks(known) : change.tasksDone(known);
      stopping = session.control().isStopping();
    } catch (RalphException storeRefused) {
      // The page keeps the values of the previous read.
    }
  }

  private String faint(String... parts) {
    return style.faint(" " + joined(parts));
  }

  private static String joined(String... parts) {
    List<String> known = new ArrayList<>(List.of(parts));
    known.removeIf(String::isEmpty);
    return String.join(", ", known);
  }

  /** Removes the page and the status line, and writes pending output. */
  @Override
  public void close() {
    Ticker running;
    BuildView page;
    synchronized (this) {
      isOver = true;
      page = view;
      running = ticker;
      ticker = null;
    }
    if (page != null) {
      page.close();
    }
    if (running != null) {
      running.end();
    }
    synchronized (this) {
      if (!nobodyReads) {
        try {
          out.footer("");
          out.flush();
        } catch (OutputException e) {
          nobodyReads = true;
        }
      }
    }
    out.finish(PATIENCE);
  }

  // ---- status line

  private void showStatus(int columns) {
    readTasks();
    draw(columns);
  }

  private synchronized void draw(int columns) {
    if (nobodyReads) {
      return;
    }
    try {
      // The last column stays empty, because some terminals wrap after it.
      String line = status.line(Instant.now(), tasks, done, stopping);
      String story = stories == null ? "" : stories.place() + "  ";
      out.footer(style.faint(TextWidth.cut(story + line, columns - 1)));
    } catch (OutputException e) {
      nobodyReads = true;
    }
  }

  /** Updates the status line every second and after each event. */
  private final class Ticker implements Runnable {

    private final Thread thread = new Thread(this, "ralph-status");
    private boolean woken;
    private boolean resized = true;
    private boolean ended;

    Ticker() {
      ControllingTerminal.onResize(this::resized);
      thread.setDaemon(true);
      thread.start();
    }

    private synchronized void resized() {
      resized = true;
      wake();
    }

    synchronized void wake() {
      woken = true;
      notifyAll();
    }

    /** Waits for the next update; returns whether the terminal may have been resized. */
    private synchronized boolean await() throws InterruptedException {
      if (!woken && !ended) {
        TimeUnit.SECONDS.timedWait(this, 1);
      }
      woken = false;
      boolean measure = resized;
      resized = false;
      return measure;
    }

    private synchronized boolean hasEnded() {
      return ended;
    }

    @Override
    public void run() {
      int columns = 0;
      try {
        while (true) {
          boolean measure = await();
          if (hasEnded()) {
            return;
          }
          columns = measure ? ControllingTerminal.size().columns() : columns;
          showStatus(columns);
        }
      } catch (InterruptedException e) {
        Thread.currentThread().interrupt();
      }
    }

    void end() {
      synchronized (this) {
        ended = true;
        notifyAll();
      }
      ThreadEnd.await(thread);
    }
  }
}
