package dev.ralph.core.internal.view;

import dev.ralph.log.Damage;
import dev.ralph.log.Decider;
import dev.ralph.log.Frame;
import dev.ralph.log.Ledger;
import dev.ralph.log.TopicFilter;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Optional;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;

/** A ledger on which is decided only for as long as something else holds in the same scope. */
public final class FencedLedger<R> implements Ledger<R> {

  private final Ledger<R> ledger;
  private final TopicFilter fence;
  private final Runnable check;

  /**
   * Fences a ledger.
   *
   * @param fence selects the frames that the check depends on
   * @param check throws if what must hold does not
   */
  public FencedLedger(Ledger<R> ledger, TopicFilter fence, Runnable check) {
    this.ledger = ledger;
    this.fence = fence;
    this.check = check;
  }

  @Override
  public R state() {
    return ledger.state();
  }

  @Override
  public Ledger<R> at(Frame frame) {
    return ledger.at(frame);
  }

  @Override
  public Ledger<R> at(Instant time) {
    return ledger.at(time);
  }

  @Override
  public <T extends @Nullable Object> T decide(
      String what, @Nullable TopicFilter others, Decider<R, T> decider) {
    return ledger.decide(
        what,
        others == null ? fence : fence.or(others),
        (state, now) -> {
          check.run();
          return decider.decide(state, now);
        });
  }

  @Override
  public Optional<R> await(Predicate<? super R> wanted, Duration timeout)
      throws InterruptedException {
    return ledger.await(wanted, timeout);
  }

  @Override
  public List<Damage> damage() {
    return ledger.damage();
  }
}
