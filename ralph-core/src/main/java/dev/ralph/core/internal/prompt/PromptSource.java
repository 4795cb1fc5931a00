package dev.ralph.core.internal.prompt;

import java.nio.file.Path;
import java.util.Collection;

/**
 * Where the text of a prompt comes from: a template, a file that holds one, or the user's words.
 */
public final class PromptSource {

  private interface Reader {
    PromptTemplate read(Collection<Placeholder> own);
  }

  private final Reader reader;

  private PromptSource(Reader reader) {
    this.reader = reader;
  }

  /** Returns the template that is used where none is given. */
  public static PromptSource builtIn() {
    return new PromptSource(own -> PromptTemplate.builtIn());
  }

  /** Returns a template. */
  public static PromptSource template(String text) {
    return new PromptSource(own -> PromptTemplate.parse(text, own));
  }

  /** Returns the template in a file. */
  public static PromptSource file(Path file) {
    return new PromptSource(own -> PromptTemplate.read(file, own));
  }

  /** Returns a prompt of the user's own, which need not have placeholders. */
  public static PromptSource prompt(String text) {
    return new PromptSource(own -> PromptTemplate.ofPrompt(text, own));
  }

  /** Returns the same with what an iteration is for before its text, if it has no place for it. */
  public PromptSource withRole() {
    return new PromptSource(own -> reader.read(own).with(Placeholder.ROLE));
  }

  /** Returns the same with what an agent was given before its text, if it has no place for it. */
  public PromptSource withTask() {
    return new PromptSource(own -> reader.read(own).with(Placeholder.TASK));
  }

  /**
   * Reads it.
   *
   * @param own the placeholders that the host fills in itself
   * @throws dev.ralph.log.RalphException as {@link PromptTemplate#read} does
   */
  PromptTemplate read(Collection<Placeholder> own) {
    return reader.read(own);
  }
}
