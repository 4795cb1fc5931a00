package org.example.reservations;

import dev.ralph.Ralph;
import java.nio.file.Files;
import java.nio.file.Path;

/** Sells two seats, refuses to sell a seat twice, and cancels a reservation. */
public final class BoxOffice {

  private BoxOffice() {}

  /** Opens a book, makes reservations and prints the remaining ones. */
  public static void main(String[] args) throws Exception {
    Path store = Files.createTempDirectory("ralph-example").resolve("store");
    try (Ralph ralph = Ralph.open(store)) {
      ReservationBook book = new ReservationBook(ralph, "friday");
      book.reserve("A1", "Ann");
      book.reserve("A2", "Bob");
      boolean twice = book.reserve("A1", "Bob").isPresent(); // false: Ann has it
      book.cancel("r1");
      System.out.println("sold twice: " + twice + ", still sold: " + book.list());
    }
  }
}
