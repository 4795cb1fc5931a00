package dev.ralph.core.internal.view;

import dev.ralph.log.Damage;
import dev.ralph.log.Frame;
import dev.ralph.log.Ledger;
import dev.ralph.log.TopicFilter;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Optional;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;

/** A ledger that forwards each call to another ledger. */
abstract class ForwardingLedger<R> implements LiveLedger<R> {

  final LiveLedger<R> ledger;

  ForwardingLedger(LiveLedger<R> ledger) {
    this.ledger = ledger;
  }

  @Override
  public R state() {
    return ledger.state();
  }

  @Override
  public R seen(SharedReading reading) {
    return ledger.seen(reading);
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
      String what, @Nullable TopicFilter others, boolean synced, Ledger.Decider<R, T> decider) {
    return ledger.decide(what, others, synced, decider);
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
