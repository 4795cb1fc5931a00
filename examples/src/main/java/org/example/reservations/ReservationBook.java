package org.example.reservations;

import dev.ralph.Ralph;
import dev.ralph.domain.NumberedList;
import dev.ralph.domain.NumberedState;
import dev.ralph.domain.StateCodec.Input;
import dev.ralph.domain.StateCodec.Output;
import dev.ralph.log.Decision;
import dev.ralph.log.Draft;
import dev.ralph.log.Fold;
import dev.ralph.log.Frame;
import dev.ralph.log.Ledger;
import dev.ralph.log.Meta;
import dev.ralph.log.Topic;
import java.io.IOException;
import java.time.Duration;
import java.util.List;
import java.util.Optional;

/** The reservations of a show. Any number of processes may reserve; each seat is sold once. */
public final class ReservationBook {
  /**
   * Folds {@code {action:reserve, n, seat, guest}} and {@code {action:cancel}} into reservations.
   */
  private static final Fold<NumberedState<Reservation>, Reservations> FOLD =
      Fold.of(
          "org.example.reservations",
          1,
          NumberedState::new,
          ReservationBook::apply,
          Reservations::new,
          new Codec());

  private final Topic topic;
  private final Ledger<Reservations> ledger;

  /** Opens the book of a show. The first reservation creates the book. */
  public ReservationBook(Ralph ralph, String show) {
    this.topic = Topic.of("reservations").child(show).child("seat");
    this.ledger = ralph.ledger(topic, FOLD);
  }

  /** Reserves a seat; returns empty if already reserved by another guest. */
  public Optional<Reservation> reserve(String seat, String guest) {
    return ledger.decide("reserving " + seat, (book, now) -> reserve(book, seat, guest));
  }

  /** Cancels a reservation, given as {@code r3} or by its id. */
  public Reservation cancel(String ref) {
    return ledger.decide("cancelling " + ref, (book, now) -> cancel(book, ref));
  }

  /** Returns all reservations in the order in which they were made. */
  public List<Reservation> list() {
    return ledger.state().list();
  }

  /** Waits until processes have reserved this many seats; returns false after the timeout. */
  public boolean awaitReserved(int seats, Duration timeout) throws InterruptedException {
    return ledger.await(book -> book.size() >= seats, timeout).isPresent();
  }

  private Decision<Reservations, Optional<Reservation>> reserve(
      Reservations book, String seat, String guest) {
    Topic.checkSegment("seat", seat);
    Optional<Reservation> taken = book.of(seat);
    if (taken.isPresent()) {
      return Decision.nothing(taken.filter(own -> own.guest().equals(guest)));
    }
    Meta meta = Meta.of("action", "reserve").with("n", book.highestNumber() + 1);
    Draft draft = Draft.of(topic, meta.with("seat", seat).with("guest", guest));
    return Decision.append(draft, after -> after.of(seat));
  }

  private Decision<Reservations, Reservation> cancel(Reservations book, String ref) {
    Reservation cancelled = book.get(ref);
    Meta meta = Meta.of("action", "cancel").with("id", cancelled.id());
    return Decision.append(Draft.of(topic, meta), after -> cancelled);
  }

  private static void apply(NumberedState<Reservation> book, Frame frame) {
    book.keepNumber(frame);
    Meta meta = frame.meta();
    String seat = meta.string("seat");
    String guest = meta.string("guest");
    if ("reserve".equals(meta.string("action")) && seat != null && guest != null) {
      book.add(new Reservation(frame.id(), book.takeNumber(frame), seat, guest));
    } else if ("cancel".equals(meta.string("action")) && book.find(meta.string("id")) >= 0) {
      book.remove(book.find(meta.string("id")));
    }
  }

  private static final class Reservations extends NumberedList<Reservation, Reservation> {
    Reservations(NumberedState<Reservation> state) {
      super(state, "reservation", 'r');
    }

    @Override
    public Reservation view(int index) {
      return entry(index);
    }

    Optional<Reservation> of(String seat) {
      return entries().stream().filter(each -> each.seat().equals(seat)).findFirst();
    }
  }

  private static final class Codec extends NumberedState.Codec<Reservation> {
    @Override
    protected void writeEntry(Reservation entry, Output out) {
      out.text(entry.id());
      out.number(entry.number());
      out.text(entry.seat());
      out.text(entry.guest());
    }

    @Override
    protected Reservation readEntry(Input in, int size) throws IOException {
      return new Reservation(in.text(), in.integer(), in.text(), in.text());
    }
  }
}
