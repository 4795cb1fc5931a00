package dev.ralph.cli.call;

import dev.ralph.cli.terminal.Output;
import dev.ralph.log.Meta;

/** The envelope that every answer in JSON has; see the command reference for what is in it. */
public final class Json {

  /** Grows when a member changes its meaning or goes away; new members may come at any time. */
  public static final int VERSION = 1;

  private Json() {}

  /** Returns an answer of that kind without anything in it yet. */
  public static Meta of(String kind) {
    return Meta.of("v", VERSION).with("kind", kind);
  }

  /**
   * An answer that holds one text, which comes in pieces, so that it need not be in memory as a
   * whole. Nothing is written before the first piece or the end.
   */
  public static final class TextAnswer {

    private static final String OPENING = "{\"\":\"";
    private static final String CLOSING = "\"}";

    private final Output out;
    private final String opening;
    private boolean begun;

    /** Makes an answer of that kind whose one member is the text. */
    public TextAnswer(Output out, String kind, String member) {
      this.out = out;
      String empty = of(kind).with(member, "").json();
      this.opening = empty.substring(0, empty.length() - CLOSING.length());
    }

    /** Writes a piece, which ends between two characters. */
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
