package dev.ralph.chaos;

import dev.ralph.Ralph;

/** A process that deletes a session, and prints a line before the deletion and after it. */
public final class Deleter {

  static final String BEGINS = "begins";

  private Deleter() {}

  /**
   * Runs the process.
   *
   * @param args the store's address and the name of the session
   */
  public static void main(String[] args) {
    try (Ralph ralph = Ralph.open(args[0])) {
      ralph.session(args[1]).tasks().list(); // classes are loaded before the measured time
      System.out.println(BEGINS);
      ralph.session(args[1]).delete();
      System.out.println("deleted");
    }
  }
}
