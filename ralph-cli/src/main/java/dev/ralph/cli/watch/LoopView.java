package dev.ralph.cli.watch;

import dev.ralph.Session;
import dev.ralph.cli.call.Invocation;
import dev.ralph.cli.call.StoreAccess;
import dev.ralph.cli.terminal.OutputException;
import dev.ralph.core.internal.process.ThreadEnd;
import dev.ralph.log.RalphException;
import dev.ralph.log.TopicFilter;
import java.util.function.Supplier;

/**
 * The page of a session in the process of its loop, with the keys of {@code ralph watch}.
 * Thread-safe.
 */
public final class LoopView implements AutoCloseable {

  private final WatchLoop watching;
  private final SessionViews.Page page;
  private final Runnable left;
  private final Thread thread;

  /**
   * Opens the page on the terminal's screen.
   *
   * @param nextPrompt returns the prompt of the next iteration
   * @param left called after a person leaves the page or the page fails, but not after {@linkplain
   *     #hide hide}
   */
  public LoopView(
      Invocation call,
      StoreAccess store,
      Session session,
      Supplier<String> nextPrompt,
      Runnable left) {
    TopicFilter filter = TopicFilter.parse("ralph." + session.name() + ".*");
    this.watching = new WatchLoop(store.frames(), filter);
    this.page = new SessionViews.Page(call, store, session, watching, nextPrompt);
    this.left = left;
    this.thread = new Thread(this::run, "ralph-view");
    thread.setDaemon(true);
    thread.start();
  }

  private void run() {
    try (watching;
        page) {
      watching.show(page);
    } catch (OutputException | RalphException cannotBeShown) {
      // The loop reports a lost terminal or a failed store itself.
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
    left.run();
  }

  /** Shows a text in the last row until a key scrolls or another text replaces the row. */
  public void showMessage(String text) {
    page.showMessage(text);
  }

  /** Restores the terminal immediately. */
  public void hide() {
    watching.leave();
    page.close();
  }

  /** Restores the terminal, and waits until the view no longer reads the log. */
  @Override
  public void close() {
    hide();
    ThreadEnd.await(thread);
  }
}
