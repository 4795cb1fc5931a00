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
 * The page of a session beside the loop that works on it, with the keys of {@code ralph watch}. For
 * any thread.
 */
public final class LoopView implements AutoCloseable {

  private final Watching watching;
  private final SessionViews.Page page;
  private final Runnable left;
  private final Thread thread;

  /**
   * Takes the terminal's screen.
   *
   * @param nextPrompt returns what the next iteration would be told
   * @param left called when the page is gone because somebody has left it, or because it can't be
   *     shown; not if it was {@linkplain #hide hidden}
   */
  public LoopView(
      Invocation call,
      StoreAccess store,
      Session session,
      Supplier<String> nextPrompt,
      Runnable left) {
    TopicFilter filter = TopicFilter.parse("ralph." + session.name() + ".*");
    this.watching = new Watching(store.frames(), filter);
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
      // The loop tells of a terminal that is gone, or a store that fails, where it matters.
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
    left.run();
  }

  /** Says something in the last row, until a key scrolls or something else is said. */
  public void say(String text) {
    page.say(text);
  }

  /** Gives the terminal back, at once. */
  public void hide() {
    watching.leave();
    page.close();
  }

  /** Gives the terminal back, and waits until the log is no longer read. */
  @Override
  public void close() {
    hide();
    ThreadEnd.await(thread);
  }
}
