package dev.ralph.cli.call;

import dev.ralph.cli.terminal.Output;
import dev.ralph.log.Meta;

/** The envelope of every JSON answer; the command reference describes the members. */
public final class Json {

  /** Increases when a member changes its meaning or is removed. New members keep the version. */
  public static final int VERSION = 1;

  private Json() {}

  /** Returns an empty answer of a kind. */
  public static Meta of(String kind) {
    return Meta.of("v", VERSION).with("kind", kind);
  }

  /**
   * Returns JSON without raw line separators (U+0085, U+2028, U+2029), at which some readers of
   * lines split a line. Stored metadata may contain them in strings, where they can be escaped.
   */
  static String singleLine(String json) {
    return json.replace("\u0085", "\\u0085")
        .replace("\u2028", "\\u2028")
        .replace("\u2029", "\\u2029");
  }

  /**
   * An answer with a single text member, written in pieces to limit memory. The first output
   * happens at the first piece or at the end.
   */
  public static final class TextAnswer {

    private static final String OPENING = "{\"\":\"";
    private static final String CLOSING = "\"}";

    private final Output out;
    private final String opening;
    private boolean begun;

    /** Creates an answer of a kind with a single text member. */
    public TextAnswer(Output out, String kind, String member) {
      this.out = out;
      String empty = of(kind).with(member, "").json();
      this.opening = empty.substring(0, empty.length() - CLOSING.length());
    }

    /** Writes a piece of the text. A piece must not split a character. */
    public void add(String piece) {
      begin();
      String object = Meta.of("", piece).json();
      out.now(object.substring(OPENING.length(), object.length() - CLOSING.length()));
    }

    /** Writes the end of the answer. */
    public void end() {
      begin();
      out.now(CLOSING + "\n");
    }

    private void begin() {
      if (!begun) {
        begun = true;
        out.now(opening);
      }
    }
  }
}
