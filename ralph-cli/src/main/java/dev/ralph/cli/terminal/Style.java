package dev.ralph.cli.terminal;

import dev.ralph.Task;

/** The colours of an answer, or none. */
public final class Style {

  private static final Style PLAIN = new Style(false);
  private static final Style COLOURED = new Style(true);

  private final boolean coloured;

  private Style(boolean coloured) {
    this.coloured = coloured;
  }

  /** Returns the style for a terminal with colours. */
  public static Style coloured() {
    return COLOURED;
  }

  /** Returns the style for text that is cut to a width or read by programs. */
  public static Style plain() {
    return PLAIN;
  }

  public String status(Task.Status status, String text) {
    return switch (status) {
      case REMAINING -> text;
      case IN_PROGRESS -> code("33", text);
      case BLOCKED -> code("31", text);
      case COMPLETED -> code("32", text);
      case CANCELLED -> faint(text);
    };
  }

  public String heading(String text) {
    return code("1", text);
  }

  public String good(String text) {
    return code("32", text);
  }

  public String bad(String text) {
    return code("31", text);
  }

  public String faint(String text) {
    return code("2", text);
  }

  private String code(String code, String text) {
    return coloured ? "\u001b[" + code + "m" + text + "\u001b[0m" : text;
  }
}
