package dev.ralph.core.internal.prompt;

import dev.ralph.Session;
import dev.ralph.log.StoreInfo;
import dev.ralph.tool.Tools;
import java.nio.file.Path;
import java.time.Instant;
import java.util.List;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * Fills a template with the state of a session, again for each iteration.
 *
 * <p>Unread messages stand before the text of a template that has no place for them.
 *
 * <p>However much is in the session, what is inserted stays within about 60,000 characters, and
 * what is left out is counted. Two things are never cut: unread messages, which are an operator's
 * own words, and what the host gave itself. Of many long messages the first million characters are
 * inserted, in whole messages. Immutable.
 */
public final class SessionPrompt {

  private final PromptTemplate template;
  private final Session session;
  private final StoreInfo store;
  private final @Nullable Tools tools;
  private final @Nullable Path spec;
  private final String extra;

  /**
   * Makes the prompt of a session.
   *
   * @param tools how the agent reaches the session, or null where its host sees to that
   * @param spec the document that says what to build, or null where there is none
   * @param extra the text of <code>{{extra}}</code>, empty where there is none
   */
  public SessionPrompt(
      PromptTemplate template,
      Session session,
      StoreInfo store,
      @Nullable Tools tools,
      @Nullable Path spec,
      String extra) {
    this.template = template.withInbox();
    this.session = session;
    this.store = store;
    this.tools = tools;
    this.spec = spec;
    this.extra = extra;
  }

  /**
   * Returns the prompt of an iteration.
   *
   * @param now decides whose lease on a task still runs
   * @param refusedFor why the last claim of completion was refused; empty where it was not
   * @param idle that the last iterations changed nothing; empty where they did
   */
  public String render(int iteration, Instant now, List<String> refusedFor, Optional<String> idle) {
    String text =
        template.fill(placeholder -> value(placeholder, iteration, now, refusedFor, idle));
    return extra.isEmpty() || template.hasExtra() ? text : text + "\n" + extra + "\n";
  }

  private String value(
      Placeholder placeholder,
      int iteration,
      Instant now,
      List<String> refusedFor,
      Optional<String> idle) {
    switch (placeholder) {
      case SESSION:
        return session.name();
      case ITERATION:
        return Integer.toString(iteration);
      case SPEC:
        return spec == null
            ? "none; tasks and messages say what to do"
            : spec.toAbsolutePath().normalize().toString();
      case STORE:
        return store.location();
      case INBOX:
        return joined(
            InboxSection.render(session.inbox().unread(), markReadInstruction()),
            QuestionSection.render(session.questions().open()));
      case TASKS:
        return TaskSection.render(session.tasks().list(), now);
      case NOTES:
        return NoteSection.render(session.notes().list(), iteration);
      case HISTORY:
        return HistorySection.render(session.iterations().list(), iteration, refusedFor, idle);
      case TOOLS:
        return tools == null
            ? "Use the tools that you were given for the tasks, notes and messages of this session."
            : tools.describe(session.name(), store).stripTrailing();
      case EXTRA:
        return extra;
    }
    throw new IllegalArgumentException(placeholder.toString());
  }

  private static String joined(String section, String next) {
    return section.isEmpty() || next.isEmpty() ? section + next : section + "\n\n" + next;
  }

  private String markReadInstruction() {
    return tools == null
        ? InboxSection.MARK_READ_TOOL
        : tools.markReadInstruction(session.name(), store);
  }
}
