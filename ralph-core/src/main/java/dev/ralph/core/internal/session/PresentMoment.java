package dev.ralph.core.internal.session;

import dev.ralph.core.internal.control.ControlState;
import dev.ralph.core.internal.view.StoreHandle;
import dev.ralph.log.Draft;
import dev.ralph.log.Frame;
import dev.ralph.log.FrameLog;
import dev.ralph.log.Ledger;
import java.time.Clock;
import java.util.List;
import java.util.function.Consumer;

/** The present, with all frames of the log. */
final class PresentMoment implements SessionMoment {

  private final StoreHandle log;
  private final Consumer<List<Draft>> appender;

  /** Creates the present of a session whose appends are unconditional. */
  PresentMoment(StoreHandle log) {
    this(log, drafts -> log.append(drafts, false));
  }

  /**
   * Creates the present of a session.
   *
   * @param appender appends the output and usage of agents
   */
  PresentMoment(StoreHandle log, Consumer<List<Draft>> appender) {
    this.log = log;
    this.appender = appender;
  }

  @Override
  public <R> Ledger<R> of(Ledger<R> ledger) {
    return ledger;
  }

  @Override
  public Clock clock() {
    return log.clock();
  }

  @Override
  public boolean isLive(ControlState.Run run) {
    return run.isLive(log.clock().instant());
  }

  @Override
  public FrameLog log() {
    return log.store();
  }

  @Override
  public boolean includes(Frame frame) {
    return true;
  }

  @Override
  public void append(List<Draft> drafts) {
    appender.accept(drafts);
  }

  @Override
  public int erase(List<String> ids) {
    return log.store().erase(ids);
  }
}
