package dev.ralph.core.internal.prompt;

import dev.ralph.Iteration;
import dev.ralph.Session;
import dev.ralph.log.StoreInfo;
import dev.ralph.tool.Tools;
import java.nio.file.Path;
import java.time.Instant;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.function.Supplier;
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
  private final List<String> warnings;
  private final Iteration.Role role;
  private final StoreInfo store;
  private final @Nullable Tools tools;
  private final @Nullable Path spec;
  private final String extra;
  private final Map<String, Supplier<String>> own;

  /**
   * Makes a prompt.
   *
   * @param source its template, read with the placeholders of the host's own
   * @param role what the iterations are for
   * @param tools how the agent reaches the session, or null where its host sees to that
   * @param spec the document that says what to build, or null where there is none
   * @param extra the text of <code>{{extra}}</code>, empty where there is none
   * @param own the texts of the host's own placeholders by name
   * @throws dev.ralph.log.RalphException INVALID if the template holds an unknown placeholder, or
   *     one of the host's own has a name that it can't have
   */
  public SessionPrompt(
      PromptSource source,
      Iteration.Role role,
      StoreInfo store,
      @Nullable Tools tools,
      @Nullable Path spec,
      String extra,
      Map<String, Supplier<String>> own) {
    List<Placeholder> names = own.keySet().stream().map(Placeholder::own).toList();
    PromptTemplate read = source.read(names);
    this.warnings = warnings(read, tools != null);
    this.template = read.with(Placeholder.INBOX);
    this.role = role;
    this.store = store;
    this.tools = tools;
    this.spec = spec;
    this.extra = extra;
    this.own = new LinkedHashMap<>(own);
  }

  private static List<String> warnings(PromptTemplate template, boolean hasTools) {
    List<String> warnings = new ArrayList<>(template.warnings());
    if (hasTools && !template.hasTools()) {
      warnings.add(
          "the template has no {{tools}}, so the agent is not told how to reach the session");
    }
    return List.copyOf(warnings);
  }

  /** Returns what in the template is allowed but hardly meant, each in a sentence. */
  public List<String> warnings() {
    return warnings;
  }

  /**
   * Returns the prompt of an iteration.
   *
   * @param session as it is to be told
   * @param now decides whose lease on a task still runs
   * @param refusedFor why the last claim of completion was refused; empty where it was not
   * @param idle that the last iterations changed nothing; empty where they did
   * @param company whom the agent works with; null where it is the only one
   */
  public String render(
      Session session,
      int iteration,
      Instant now,
      List<String> refusedFor,
      Optional<String> idle,
      @Nullable Company company) {
    String text =
        template.fill(
            placeholder -> value(placeholder, session, iteration, now, refusedFor, idle, company));
    return extra.isEmpty() || template.hasExtra() ? text : text + "\n" + extra + "\n";
  }

  private String value(
      Placeholder placeholder,
      Session session,
      int iteration,
      Instant now,
      List<String> refusedFor,
      Optional<String> idle,
      @Nullable Company company) {
    Supplier<String> hosts = own.get(placeholder.word());
    if (hosts != null) {
      return Objects.requireNonNull(
              hosts.get(),
              () -> "the text of the placeholder " + placeholder + " is null; none is empty")
          .stripTrailing();
    }
    return switch (placeholder.word()) {
      case "session" -> session.name();
      case "iteration" -> Integer.toString(iteration);
      case "agent" -> Integer.toString(company == null ? 1 : company.agent());
      case "agents" -> Integer.toString(company == null ? 1 : company.agents());
      case "task" -> AssignmentSection.render(company);
      case "spec" ->
          spec == null
              ? "none; tasks and messages say what to do"
              : spec.toAbsolutePath().normalize().toString();
      case "store" -> store.location();
      case "role" -> RoleSection.render(role);
      case "inbox" ->
          joined(
              InboxSection.render(session.inbox().unread(), markReadInstruction(session)),
              QuestionSection.render(session.questions().open()));
      case "tasks" -> TaskSection.render(session.tasks().list(), now);
      case "notes" -> NoteSection.render(session.notes().list(), iteration);
      case "history" ->
          HistorySection.render(session.iterations().list(), iteration, refusedFor, idle);
      case "tools" ->
          tools == null
              ? "Use the tools that you were given for the tasks, notes and messages of this"
                  + " session."
              : tools.describe(session.name(), store).stripTrailing();
      case "extra" -> extra;
      default -> throw new IllegalArgumentException(placeholder.toString());
    };
  }

  private static String joined(String section, String next) {
    return section.isEmpty() || next.isEmpty() ? section + next : section + "\n\n" + next;
  }

  private String markReadInstruction(Session session) {
    return tools == null
        ? InboxSection.MARK_READ_TOOL
        : tools.markReadInstruction(session.name(), store);
  }
}
