package dev.ralph.cli.progress;

import dev.ralph.LoopEvent;
import dev.ralph.Session;
import dev.ralph.cli.call.Invocation;
import dev.ralph.cli.call.StoreAccess;
import dev.ralph.cli.watch.LoopView;
import dev.ralph.log.RalphException;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * The page of the session in place of lines, from the start of the loop until the loop ends or a
 * person leaves the page. Events arrive sequentially.
 */
final class BuildView implements AutoCloseable {

  private final Invocation call;
  private final StoreAccess store;
  private final Session session;
  private final Supplier<String> nextPrompt;
  private final Runnable onLeft;
  private final AtomicBoolean isOver = new AtomicBoolean();
  private @Nullable LoopView page;

  /**
   * @param nextPrompt returns the prompt of the next iteration
   * @param onLeft called from another thread after a person leaves the page while the loop
   *     continues
   */
  BuildView(
      Invocation call,
      StoreAccess store,
      Session session,
      Supplier<String> nextPrompt,
      Runnable onLeft) {
    this.call = call;
    this.store = store;
    this.session = session;
    this.nextPrompt = nextPrompt;
    this.onLeft = onLeft;
  }

  /**
   * Processes an event, and returns whether the page shows the event. Events missing in the log
   * appear in the last row until the next event.
   */
  boolean shows(LoopEvent event) {
    if (event.type() == LoopEvent.Type.LOOP_STARTED && page == null && !isOver.get()) {
      open();
    }
    LoopView open = page;
    if (open == null || isOver.get()) {
      return false;
    }
    switch (event.type()) {
      case NOTICE, COMPLETION_REFUSED, SENT_BACK, ORPHANS_ENDED ->
          open.showMessage(event.message().lines().findFirst().orElse(""));
      case ITERATION_STARTED, GATE -> open.showMessage("");
      default -> {
        // The page reads the event from the log.
      }
    }
    return true;
  }

  /** Shows a text in the last row; returns false if the page is not visible. */
  boolean showMessage(String text) {
    LoopView open = page;
    if (open == null || isOver.get()) {
      return false;
    }
    open.showMessage(text);
    return true;
  }

  private void open() {
    try {
      page = new LoopView(call, store, session, nextPrompt, this::left);
    } catch (RalphException cannotBeShown) {
      isOver.set(true);
    }
  }

  private void left() {
    if (!isOver.getAndSet(true)) {
      onLeft.run();
    }
  }

  /** Restores the terminal. */
  void hide() {
    isOver.set(true);
    if (page != null) {
      page.hide();
    }
  }

  @Override
  public void close() {
    isOver.set(true);
    if (page != null) {
      page.close();
    }
  }
}
