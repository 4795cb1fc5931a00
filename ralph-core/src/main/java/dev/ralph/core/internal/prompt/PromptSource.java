package dev.ralph.core.internal.prompt;

import java.nio.file.Path;
import java.util.Collection;
import java.util.function.UnaryOperator;

/** The origin of a prompt's text: the built-in templates, a template, a file, or a user's words. */
public final class PromptSource {

  /**
   * The templates of a source, by the agent's situation.
   *
   * @param lone for an agent that chooses its task itself, plans or reviews
   * @param worker for one of several agents, with a task
   * @param unassigned for one of several agents that builds and has no task
   * @param isOwn whether a user has written the template, for all situations
   */
  record Templates(
      PromptTemplate lone, PromptTemplate worker, PromptTemplate unassigned, boolean isOwn) {

    private static Templates same(PromptTemplate template) {
      return new Templates(template, template, template, true);
    }

    Templates with(TemplatePlaceholder section) {
      UnaryOperator<PromptTemplate> added = template -> template.with(section);
      return new Templates(added.apply(lone), added.apply(worker), added.apply(unassigned), isOwn);
    }
  }

  private interface Reader {
    Templates read(Collection<TemplatePlaceholder> own);
  }

  private final Reader reader;

  private PromptSource(Reader reader) {
    this.reader = reader;
  }

  /** Returns the built-in templates. */
  public static PromptSource builtIn() {
    return new PromptSource(
        own ->
            new Templates(
                PromptTemplate.builtIn(),
                PromptTemplate.parse(PromptTemplate.WORKER),
                PromptTemplate.parse(PromptTemplate.UNASSIGNED),
                false));
  }

  /** Returns a template. */
  public static PromptSource template(String text) {
    return new PromptSource(own -> Templates.same(PromptTemplate.parse(text, own)));
  }

  /** Returns the template in a file. */
  public static PromptSource file(Path file) {
    return new PromptSource(own -> Templates.same(PromptTemplate.read(file, own)));
  }

  /**
   * Returns a prompt with a user's text. A text without placeholders is followed by the state of
   * the session.
   */
  public static PromptSource prompt(String text) {
    return new PromptSource(
        own ->
            new Templates(
                PromptTemplate.ofPrompt(text, PromptTemplate.STATE, own),
                PromptTemplate.ofPrompt(text, PromptTemplate.WORKER, own),
                PromptTemplate.ofPrompt(text, PromptTemplate.UNASSIGNED, own),
                true));
  }

  /**
   * Returns a source that puts the role before its text, unless the text has a placeholder for the
   * role.
   */
  public PromptSource withRole() {
    return new PromptSource(own -> reader.read(own).with(TemplatePlaceholder.ROLE));
  }

  /**
   * Returns a source that puts the assignment before its text, unless the text has a placeholder
   * for the assignment.
   */
  public PromptSource withTask() {
    return new PromptSource(own -> reader.read(own).with(TemplatePlaceholder.TASK));
  }

  /**
   * Reads the templates.
   *
   * @param own the host's own placeholders
   * @throws dev.ralph.log.RalphException as {@link PromptTemplate#read}
   */
  Templates read(Collection<TemplatePlaceholder> own) {
    return reader.read(own);
  }
}
