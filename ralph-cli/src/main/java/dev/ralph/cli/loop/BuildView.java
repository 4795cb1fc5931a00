package dev.ralph.cli.loop;

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
 * The page of the session in place of lines, from the beginning of its loop until that ends or
 * somebody leaves it. Events come one at a time.
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
   * @param nextPrompt returns what the next iteration would be told
   * @param onLeft called, from another thread, when somebody has left the page and the loop goes on
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
   * Takes note of an event; returns whether the page shows what there is to show. What does not
   * stand in the log is said in its last row until something else happens.
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
          open.say(event.message().lines().findFirst().orElse(""));
      case ITERATION_STARTED, GATE -> open.say("");
      default -> {
        // It stands in the log.
      }
    }
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

  /** Gives the terminal back. */
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
