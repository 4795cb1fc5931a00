package dev.ralph.core.internal.text;

import dev.ralph.Control;
import org.jspecify.annotations.Nullable;

/** The state of a session in one word, for a terminal, the page and their JSON. */
public final class StateWord {

  private StateWord() {}

  /**
   * Returns {@code idle}, {@code running}, {@code paused}, {@code completed} or {@code crashed}.
   *
   * @param loop the result of {@link Control#running()}, or null
   */
  public static String of(Control control, Control.@Nullable RunningLoop loop) {
    if (loop != null && loop.live()) {
      return control.isPaused() ? "paused" : "running";
    }
    if (control.isCompleted()) {
      return "completed";
    }
    return loop != null ? "crashed" : control.isPaused() ? "paused" : "idle";
  }
}
