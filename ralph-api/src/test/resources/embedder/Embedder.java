package embedder;

/** A host program that uses only the API. */
public final class Embedder {
  private Embedder() {}

  /** Returns the host's name. */
  public static String name() {
    return "embedder";
  }
}
