package dev.ralph.benchmarks;

/** The least that a JVM can do. */
final class Hello {

  private Hello() {}

  /** Says hello. */
  public static void main(String[] arguments) {
    System.out.println("Hello");
  }
}
