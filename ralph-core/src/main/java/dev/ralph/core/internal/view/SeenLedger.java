package dev.ralph.core.internal.view;

/** A ledger that shows what was seen of it at the last look, and is decided on as it is now. */
public final class SeenLedger<R> extends ForwardingLedger<R> {

  private final SharedReading reading;

  /** Makes the ledger as that reading shows it. */
  public SeenLedger(LiveLedger<R> ledger, SharedReading reading) {
    super(ledger);
    this.reading = reading;
  }

  @Override
  public R state() {
    return ledger.seen(reading);
  }
}
