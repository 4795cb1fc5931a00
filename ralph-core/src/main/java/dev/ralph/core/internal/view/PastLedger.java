package dev.ralph.core.internal.view;

import dev.ralph.log.Damage;
import dev.ralph.log.Frame;
import dev.ralph.log.Ledger;
import dev.ralph.log.RalphException;
import dev.ralph.log.TopicFilter;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Optional;
import java.util.function.Predicate;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/** A read-only ledger at a moment of the past. */
public final class PastLedger<R> implements Ledger<R> {

  private final Ledger<R> present;
  private final Supplier<R> past;

  /** The state; null until first use. Several threads may compute equal states. */
  private volatile @Nullable R state;

  PastLedger(Ledger<R> present, Supplier<R> past) {
    this.present = present;
    this.past = past;
  }

  @Override
  public R state() {
    R known = state;
    if (known == null) {
      known = past.get();
      state = known;
    }
    return known;
  }

  @Override
  public Ledger<R> at(Frame frame) {
    return present.at(frame);
  }

  @Override
  public Ledger<R> at(Instant time) {
    return present.at(time);
  }

  @Override
  public <T extends @Nullable Object> T decide(
      String what, @Nullable TopicFilter others, Ledger.Decider<R, T> decider) {
    throw unchangeable();
  }

  @Override
  public Optional<R> await(Predicate<? super R> wanted, Duration timeout) {
    R known = state();
    return wanted.test(known) ? Optional.of(known) : Optional.empty();
  }

  @Override
  public List<Damage> damage() {
    return present.damage();
  }

  /** Returns the failure of a change of a past session. */
  public static RalphException unchangeable() {
    return RalphException.unsupported("a past state can't be changed");
  }
}
