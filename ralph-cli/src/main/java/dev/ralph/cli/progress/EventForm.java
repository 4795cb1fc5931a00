package dev.ralph.cli.progress;

import dev.ralph.LoopEvent;
import dev.ralph.cli.call.Json;
import dev.ralph.cli.text.Times;
import dev.ralph.log.Meta;
import java.util.Locale;
import org.jspecify.annotations.Nullable;

/** Renders the events of a loop as JSON. */
final class EventForm {

  private EventForm() {}

  /** Returns an event as a JSON object in a single line. */
  static String json(LoopEvent event) {
    return json(event, null);
  }

  /**
   * Returns an event as a JSON object in a single line.
   *
   * @param summary the summary of the run, or null for other events than its end
   */
  static String json(LoopEvent event, @Nullable Meta summary) {
    Meta data = event.data();
    return Json.of("event")
        .with("type", event.type().name().toLowerCase(Locale.ROOT))
        .with("session", event.session())
        .with("time", Times.format(event.time()))
        .with("iteration", event.iteration() == 0 ? null : event.iteration())
        .with("agent", event.agent() == 0 ? null : event.agent())
        .with("message", event.message())
        .with("data", data.keys().isEmpty() ? null : data)
        .with("summary", summary)
        .json();
  }
}
