package dev.ralph.cli;

import dev.ralph.LoopEvent;
import dev.ralph.Meta;
import dev.ralph.Session;
import dev.ralph.Task;
import dev.ralph.cli.text.Durations;
import dev.ralph.cli.text.Harmless;
import java.time.Duration;
import java.util.Locale;

/** Shows how a loop goes on: plain lines in a pipe, more for a person, events in JSON. */
final class BuildProgress implements AutoCloseable {

  private final Invocation call;
  private final Session session;
  private final Output out;
  private final Style style;
  private final boolean quiet;
  private final long began = System.nanoTime();
  private boolean nobodyReads;

  BuildProgress(Invocation call, Session session) {
    this.call = call;
    this.session = session;
    this.out = call.environment().out();
    this.style = call.style();
    this.quiet = call.arguments().has("quiet");
  }

  /** Shows an event. The loop calls this for one event at a time. */
  void event(LoopEvent event) {
    if (nobodyReads) {
      return;
    }
    if (quiet && event.type() == LoopEvent.Type.OUTPUT) {
      return;
    }
    try {
      String text = call.json() ? json(event) : text(event);
      if (!text.isEmpty()) {
        out.now(text + "\n");
      }
    } catch (OutputException e) {
      // The loop goes on: what it does is in the log, whether or not somebody watches.
      nobodyReads = true;
    }
  }

  private static String json(LoopEvent event) {
    return Json.of("event")
        .with("type", event.type().name().toLowerCase(Locale.ROOT))
        .with("time", event.time().toString())
        .with("iteration", event.iteration())
        .with("message", event.message())
        .with("data", event.data())
        .json();
  }

  private String text(LoopEvent event) {
    String message = Harmless.text(event.message());
    return switch (event.type()) {
      case LOOP_STARTED, USAGE -> "";
      case ITERATION_STARTED -> started(event.iteration());
      case OUTPUT -> "  " + message.replace("\n", "\n  ");
      case ITERATION_ENDED -> ended(event.data());
      case LOOP_ENDED -> style.heading(session.name() + ": " + message);
      case NOTICE, ORPHANS_ENDED, WAITING, GATE, COMPLETION_REFUSED -> message;
    };
  }

  private String started(int iteration) {
    return style.heading(session.name() + " - Iteration #" + iteration + "...") + soFar();
  }

  private String ended(Meta data) {
    String status = data.string("status");
    String summary = data.string("summary");
    if ("success".equals(status)) {
      return style.good("Done!") + soFar() + "\n";
    }
    return style.bad("Failed: " + status)
        + (summary == null ? "" : ", " + Harmless.text(summary).replace("\n", "\n  "))
        + soFar()
        + "\n";
  }

  /** Returns, for a person, how long this has gone on and how many of the tasks are done. */
  private String soFar() {
    if (!out.isTerminal()) {
      return "";
    }
    int done = 0;
    int all = 0;
    for (Task task : session.tasks().list()) {
      all++;
      done += task.status().isTerminal() ? 1 : 0;
    }
    String elapsed = Durations.format(Duration.ofNanos(System.nanoTime() - began));
    return style.faint(" " + elapsed + ", " + done + " of " + all + " tasks done");
  }

  /** Writes what is still to be written. */
  @Override
  public void close() {
    if (!nobodyReads) {
      out.flush();
    }
  }
}
