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

  /** Returns the result of a call that failed, which says what to do instead. */
  public static ToolResult error(String text) {
    return new ToolResult(text, true);
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
