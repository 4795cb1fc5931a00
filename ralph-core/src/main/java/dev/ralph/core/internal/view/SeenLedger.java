package dev.ralph.core.internal.view;

/** A ledger that returns the state of the last shared read, and decides on the present state. */
public final class SeenLedger<R> extends ForwardingLedger<R> {

  private final SharedReading reading;

  /** Creates a ledger over a shared read. */
  public SeenLedger(LiveLedger<R> ledger, SharedReading reading) {
    super(ledger);
    this.reading = reading;
  }

  @Override
  public R state() {
    return ledger.seen(reading);
  }
}
