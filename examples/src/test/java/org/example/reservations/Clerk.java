package org.example.reservations;

import dev.ralph.Ralph;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Random;

/** A process that tries to reserve all seats, in a random order. */
public final class Clerk {

  static final int SEATS = 60;

  private Clerk() {}

  /**
   * Reserves seats and prints each seat that it gets.
   *
   * @param args the kind of store, its folder, the guest, and a seed for the order of the seats
   */
  public static void main(String[] args) {
    try (Ralph ralph = Ralph.builder().store(args[0]).directory(Path.of(args[1])).open()) {
      ReservationBook book = new ReservationBook(ralph, "friday");
      for (String seat : seats(Long.parseLong(args[3]))) {
        if (book.reserve(seat, args[2]).isPresent()) {
          System.out.println(seat);
        }
      }
    }
  }

  static List<String> seats(long seed) {
    List<String> seats = new ArrayList<>();
    for (int i = 1; i <= SEATS; i++) {
      seats.add("A" + i);
    }
    Collections.shuffle(seats, new Random(seed));
    return seats;
  }
}
