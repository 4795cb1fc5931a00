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

  /** How iterations are listed. */
  static final Listing<Iteration> LISTING =
      new Listing<>("iterations", "iterations", IterationForm::json, IterationForm::line);

  private IterationForm() {}

  /** Returns an iteration as a line, or several where its summary has several. */
  public static String line(Iteration iteration, Style style) {
    Duration duration = iteration.duration();
    String summary = iteration.summary();
    String status = iteration.status().word();
    String shown =
        switch (iteration.status()) {
          case SUCCESS -> style.good(status);
          case FAILURE, TIMEOUT, INTERRUPTED -> style.bad(status);
          case RUNNING, RATE_LIMITED -> status;
        };
    return "#"
        + iteration.number()
        + " "
        + shown
        + " "
        + style.faint(Times.local(iteration.started()))
        + (duration == null ? "" : " " + Durations.format(duration))
        + (summary == null ? "" : "  " + SafeText.indented(summary));
  }

  /** Returns an iteration as an object. */
  static Meta json(Iteration iteration) {
    Duration duration = iteration.duration();
    return Meta.of("n", iteration.number())
        .with("status", iteration.status().word())
        .with("started", Times.format(iteration.started()))
        .with("duration_ms", duration == null ? null : duration.toMillis())
        .with("summary", iteration.summary())
        .with("usage", usage(iteration.usage()));
  }

  /** Returns a usage as an object, or null where nothing is known of it. */
  static @Nullable Meta usage(Usage usage) {
    return usage.equals(Usage.NONE) ? null : usage.json();
  }
}
