package dev.ralph.cli;

import dev.ralph.Task;

/** Colours, where somebody sees them and wants them. */
final class Style {

  private static final Style PLAIN = new Style(false);

  private final boolean coloured;

  private Style(boolean coloured) {
    this.coloured = coloured;
  }

  /** Returns the style for an output; see no-color.org for the variable {@code NO_COLOR}. */
  static Style of(Environment environment, Output output) {
    if (!output.isTerminal() || environment.variable("NO_COLOR") != null) {
      return PLAIN;
    }
    String terminal = environment.variable("TERM");
    return terminal == null || terminal.equals("dumb") ? PLAIN : new Style(true);
  }

  /** Returns the style of text that is cut to a width, or that no person sees. */
  static Style plain() {
    return PLAIN;
  }

  boolean isColoured() {
    return coloured;
  }

  String status(Task.Status status, String text) {
    return switch (status) {
      case REMAINING -> text;
      case IN_PROGRESS -> code("33", text);
      case BLOCKED -> code("31", text);
      case COMPLETED -> code("32", text);
      case CANCELLED -> faint(text);
    };
  }

  String heading(String text) {
    return code("1", text);
  }

  String good(String text) {
    return code("32", text);
  }

  String bad(String text) {
    return code("31", text);
  }

  String faint(String text) {
    return code("2", text);
  }

  private String code(String code, String text) {
    return coloured ? "\u001b[" + code + "m" + text + "\u001b[0m" : text;
  }
}
