package dev.ralph.tool;

import javax.annotation.concurrent.Immutable;

/** What a model is shown of a call that it made. Immutable. */
@Immutable
public final class ToolResult {

  private final String text;
  private final boolean error;

  private ToolResult(String text, boolean error) {
    this.text = text;
    this.error = error;
  }

  /** Returns the result of a call that did what it was to do. */
  public static ToolResult of(String text) {
    return new ToolResult(text, false);
  }

  /**
   * Returns the result of a call that failed. Its text begins with {@code ERROR:}, because a model
   * may be shown nothing but the text.
   *
   * @param reason says what to do instead
   */
  public static ToolResult error(String reason) {
    return new ToolResult("ERROR: " + reason, true);
  }

  /** Returns this result with more text at its end. */
  public ToolResult plus(String more) {
    return more.isEmpty() ? this : new ToolResult(text + more, error);
  }

  /** Returns the text to show to the model. */
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
