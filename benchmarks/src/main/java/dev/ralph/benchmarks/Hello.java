package dev.ralph.benchmarks;

/** A minimal Java program. */
final class Hello {

  private Hello() {}

  /** Prints a greeting. */
  public static void main(String[] arguments) {
    System.out.println("Hello");
  }
}
