package dev.ralph.cli.progress;

import dev.ralph.LoopEvent;
import dev.ralph.cli.call.Invocation;
import dev.ralph.cli.call.Json;
import dev.ralph.cli.terminal.OutputException;
import dev.ralph.cli.text.SafeText;
import dev.ralph.cli.text.Times;
import dev.ralph.core.internal.host.SessionHost;
import java.util.Locale;
import org.jspecify.annotations.Nullable;

/**
 * Prints the events of a host, with a line per event, because several sessions print concurrently.
 */
public final class WorkLines {

  private final Invocation call;
  private boolean nobodyReads;

  public WorkLines(Invocation call) {
    this.call = call;
  }

  /** Prints an event of the host. */
  public void host(SessionHost.Event event) {
    show(
        call.json()
            ? Json.of("host_event")
                .with("type", event.type().name().toLowerCase(Locale.ROOT))
                .with("session", event.session())
                .with("time", Times.format(event.time()))
                .with("message", event.message())
                .with("reason", event.result() == null ? null : event.result().reason().word())
                .json()
            : SafeText.text(event.message()).replace("\n", "\n  "));
  }

  /** Prints an event of a session's loop, except the output of agents. */
  public void loop(LoopEvent event) {
    if (call.json()) {
      show(event.type() == LoopEvent.Type.OUTPUT ? null : EventForm.json(event));
      return;
    }
    show(
        switch (event.type()) {
          case OUTPUT, USAGE, GATE_STARTED, LOOP_STARTED, LOOP_ENDED -> null;
          default -> event.session() + ": " + SafeText.text(event.message()).replace("\n", "\n  ");
        });
  }

  private synchronized void show(@Nullable String line) {
    if (line == null || nobodyReads) {
      return;
    }
    try {
      call.environment().out().now(line + "\n");
    } catch (OutputException e) {
      nobodyReads = true; // the loops continue; their actions are in the log
    }
  }
}
