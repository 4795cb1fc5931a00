package dev.ralph.cli.session;

import dev.ralph.Iteration;
import dev.ralph.Usage;
import dev.ralph.cli.call.Listing;
import dev.ralph.cli.terminal.Style;
import dev.ralph.cli.text.Durations;
import dev.ralph.cli.text.SafeText;
import dev.ralph.cli.text.Times;
import dev.ralph.log.Meta;
import java.time.Duration;
import org.jspecify.annotations.Nullable;

/** How an iteration is shown. */
public final class IterationForm {

  /**
   * Returns how iterations are listed.
   *
   * @param cutOff whether the one that runs, if one does, was cut off with its loop
   */
  static Listing<Iteration> listing(boolean cutOff) {
    return new Listing<>(
        "iterations",
        "iterations",
        iteration -> json(iteration, cutOff),
        (iteration, style) -> line(iteration, cutOff, style));
  }

  private IterationForm() {}

  /**
   * Returns an iteration as a line, or several where its summary has several.
   *
   * @param cutOff whether it was cut off if it runs: then the next run will log it as interrupted
   */
  public static String line(Iteration iteration, boolean cutOff, Style style) {
    Duration duration = iteration.duration();
    String summary = iteration.summary();
    String role = role(iteration);
    Iteration.Status known = status(iteration, cutOff);
    String status = known.word();
    String shown =
        switch (known) {
          case SUCCESS -> style.good(status);
          case FAILURE, TIMEOUT, INTERRUPTED -> style.bad(status);
          case RUNNING, RATE_LIMITED -> status;
        };
    return "#"
        + iteration.number()
        + " "
        + (role == null ? "" : role + " ")
        + shown
        + " "
        + style.faint(Times.local(iteration.started()))
        + (duration == null ? "" : " " + Durations.format(duration))
        + (summary == null ? "" : "  " + SafeText.indented(summary));
  }

  /** Returns an iteration as an object. */
  static Meta json(Iteration iteration, boolean cutOff) {
    Duration duration = iteration.duration();
    return Meta.of("n", iteration.number())
        .with("role", role(iteration))
        .with("status", status(iteration, cutOff).word())
        .with("started", Times.format(iteration.started()))
        .with("duration_ms", duration == null ? null : duration.toMillis())
        .with("summary", iteration.summary())
        .with("usage", usage(iteration.usage()));
  }

  /** Returns what it was for in a word, or null where it is the usual. */
  private static @Nullable String role(Iteration iteration) {
    return iteration.role() == Iteration.Role.BUILD ? null : iteration.role().word();
  }

  /** Returns how it went, so far as is known. */
  public static Iteration.Status status(Iteration iteration, boolean cutOff) {
    return cutOff && iteration.status() == Iteration.Status.RUNNING
        ? Iteration.Status.INTERRUPTED
        : iteration.status();
  }

  /** Returns a usage as an object, or null where nothing is known of it. */
  static @Nullable Meta usage(Usage usage) {
    return usage.equals(Usage.NONE) ? null : usage.json();
  }
}
