package dev.ralph.tool;

import javax.annotation.concurrent.Immutable;

/** The result of a tool call for a model. Immutable. */
@Immutable
public final class ToolResult {

  private final String text;
  private final boolean error;

  private ToolResult(String text, boolean error) {
    this.text = text;
    this.error = error;
  }

  /** Returns the result of a successful call. */
  public static ToolResult of(String text) {
    return new ToolResult(text, false);
  }

  /**
   * Returns the result of a failed call. The text begins with {@code ERROR:}, because some clients
   * pass only the text to the model.
   *
   * @param reason the reason, with a remedy
   */
  public static ToolResult error(String reason) {
    return new ToolResult("ERROR: " + reason, true);
  }

  /** Returns a copy with more text at the end. */
  public ToolResult plus(String more) {
    return more.isEmpty() ? this : new ToolResult(text + more, error);
  }

  /** Returns the text for the model. */
  public String text() {
    return text;
  }

  /** Returns whether the call failed. */
  public boolean isError() {
    return error;
  }

  @Override
  public String toString() {
    return text;
  }
}
