package org.example.reservations;

import dev.ralph.domain.Numbered;

/**
 * A seat that was reserved for a guest.
 *
 * @param id the frame that reserved it
 * @param number its number in the book: {@code r3} is the third reservation that was ever made
 */
public record Reservation(String id, int number, String seat, String guest) implements Numbered {

  @Override
  public String title() {
    return seat + " for " + guest;
  }
}
