package org.example.reservations;

import dev.ralph.domain.Numbered;

/**
 * A reserved seat.
 *
 * @param id the id of the frame that made the reservation
 * @param number the number in the book, counted from 1 and never reused; users write {@code r3}
 * @param seat the seat
 * @param guest the guest
 */
public record Reservation(String id, int number, String seat, String guest) implements Numbered {

  @Override
  public String title() {
    return seat + " for " + guest;
  }
}
