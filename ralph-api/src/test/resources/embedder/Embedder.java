package embedder;

/** A host program as its author would write it, knowing nothing but the API. */
public final class Embedder {
  private Embedder() {}

  /** Returns what the host is called. */
  public static String name() {
    return "embedder";
  }
}
