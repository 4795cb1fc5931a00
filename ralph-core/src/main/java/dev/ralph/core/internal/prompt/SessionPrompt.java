package dev.ralph.core.internal.prompt;

import dev.ralph.Iteration;
import dev.ralph.Message;
import dev.ralph.Session;
import dev.ralph.Task;
import dev.ralph.core.internal.inbox.MessageRecipient;
import dev.ralph.core.internal.text.TextExcerpt;
import dev.ralph.log.RalphException;
import dev.ralph.log.StoreInfo;
import dev.ralph.tool.Tools;
import java.nio.file.Path;
import java.time.Instant;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.Set;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * Renders the prompt of an iteration: a template, filled with the state of a session.
 *
 * <p>Unread messages precede the text of a template without a placeholder for them.
 *
 * <p>The state has at most about 60,000 characters; the prompt counts the omitted items. The prompt
 * of one of several agents has at most 3,600 characters besides its task, messages, notes and the
 * host's own texts. Unread messages and the host's texts are never cut. Of many long messages the
 * prompt has the first million characters, in whole messages. Immutable.
 */
public final class SessionPrompt {

  /** The length of a worker's prompt without its task, messages, notes and the host's texts. */
  private static final int WORKER_LIMIT = 3_600;

  /**
   * The number of characters for line breaks around sections and the words before a shortened
   * reason.
   */
  private static final int BREAKS = 120;

  private static final int IDLE = 400;
  private static final int QUESTIONS = 400;

  /** A single agent works in this case, with room for a gate's output. */
  private static final int UNASSIGNED_REASON = 10_000;

  private final PromptSource.Templates templates;
  private final List<String> warnings;
  private final Iteration.Role role;
  private final Supplier<StoreInfo> store;
  private final @Nullable Tools tools;
  private final @Nullable Path spec;
  private final String extra;
  private final Map<String, Supplier<String>> own;

  /**
   * Creates a prompt.
   *
   * @param source the templates, read with the host's own placeholders
   * @param role the role of the iterations
   * @param store returns the store for agents' processes; called if the prompt names the store
   * @param tools the tools to reach the session, or null if the agent's host provides them
   * @param spec the document that specifies the work, or null if none exists
   * @param extra the text of <code>{{extra}}</code>, empty for none
   * @param own the texts of the host's own placeholders by name
   * @throws dev.ralph.log.RalphException INVALID if the template has an unknown placeholder, or a
   *     placeholder of the host has an invalid name
   */
  public SessionPrompt(
      PromptSource source,
      Iteration.Role role,
      Supplier<StoreInfo> store,
      @Nullable Tools tools,
      @Nullable Path spec,
      String extra,
      Map<String, Supplier<String>> own) {
    List<TemplatePlaceholder> names = own.keySet().stream().map(TemplatePlaceholder::own).toList();
    PromptSource.Templates read = source.read(names);
    this.warnings = warnings(read.lone(), tools != null);
    this.templates = read.with(TemplatePlaceholder.INBOX);
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
      warnings.add("the template has no {{tools}}, so the agent gets no tools of the session");
    }
    return List.copyOf(warnings);
  }

  /** Returns the template's likely mistakes, each in a sentence. */
  public List<String> warnings() {
    return warnings;
  }

  /**
   * Renders the prompt of an iteration.
   *
   * @param session the session in the state to render
   * @param now the time that decides which leases of tasks are live
   * @param refusedFor the reasons why the last completion was rejected; empty otherwise
   * @param idle a warning if the last iterations changed nothing; otherwise empty
   * @param team the agent's assignment; null for the only agent of a loop
   */
  public String render(
      Session session,
      int iteration,
      Instant now,
      List<String> refusedFor,
      Optional<String> idle,
      @Nullable TeamContext team) {
    PromptTemplate template = template(team);
    State state = new State(session, iteration, now, refusedFor, idle);
    Map<TemplatePlaceholder, String> values = new HashMap<>();
    for (TemplatePlaceholder placeholder : template.placeholders()) {
      values.put(placeholder, value(placeholder, state, team));
    }
    if (team != null) {
      fillAssignment(template, values, state, team);
    }
    String text = template.fill(placeholder -> values.getOrDefault(placeholder, ""));
    return extra.isEmpty() || template.hasExtra() ? text : text + "\n" + extra + "\n";
  }

  /** The session's state for a prompt. */
  private record State(
      Session session,
      int iteration,
      Instant now,
      List<String> refusedFor,
      Optional<String> idle) {}

  private PromptTemplate template(@Nullable TeamContext team) {
    if (team == null || role != Iteration.Role.BUILD) {
      return templates.lone();
    }
    return team.task() == null ? templates.unassigned() : templates.worker();
  }

  /**
   * Fills in the sections of an assignment. The sections of a task share the rest of the limit
   * after the template's text, the tools and the paths.
   */
  private void fillAssignment(
      PromptTemplate template,
      Map<TemplatePlaceholder, String> values,
      State state,
      TeamContext team) {
    AssignmentSection assignment = new AssignmentSection(team, role);
    Task task = team.task();
    if (task == null) {
      values.put(TemplatePlaceholder.TASK, assignment.render("", UNASSIGNED_REASON));
      return;
    }
    values.put(TemplatePlaceholder.TASK, assignment.render("", 0));
    int used = template.fill(each -> isLimited(each) ? values.getOrDefault(each, "") : "").length();
    int ofUser = templates.isOwn() ? template.fill(each -> "").length() : 0;
    int left = Math.max(0, WORKER_LIMIT - (used - ofUser) - BREAKS);
    String idle =
        TextExcerpt.cut(
            state.idle().map(HistorySection::noProgress).orElse(""), Math.min(IDLE, left / 4));
    String questions =
        QuestionSection.render(state.session().questions().open(), Math.min(QUESTIONS, left / 4));
    int shared = Math.max(0, left - idle.length() - questions.length());
    String related =
        RelatedTasks.render(
            state.session().tasks().list(),
            team,
            task,
            team.returned() == null ? shared : shared / 3);
    values.put(TemplatePlaceholder.HISTORY, idle);
    values.merge(TemplatePlaceholder.INBOX, questions, SessionPrompt::joined);
    String text = assignment.render(assignment.text(), Math.max(0, shared - related.length()));
    boolean hasTasks = template.placeholders().contains(TemplatePlaceholder.TASKS);
    values.put(TemplatePlaceholder.TASKS, related);
    values.put(TemplatePlaceholder.TASK, hasTasks ? text : joined(text, related));
  }

  /** Returns whether a placeholder's text counts toward the limit. */
  private boolean isLimited(TemplatePlaceholder placeholder) {
    return !own.containsKey(placeholder.word())
        && !Set.of(TemplatePlaceholder.INBOX, TemplatePlaceholder.NOTES, TemplatePlaceholder.EXTRA)
            .contains(placeholder);
  }

  private String value(TemplatePlaceholder placeholder, State state, @Nullable TeamContext team) {
    Supplier<String> hosts = own.get(placeholder.word());
    if (hosts != null) {
      return Objects.requireNonNull(
              hosts.get(),
              () ->
                  "the text of the placeholder "
                      + placeholder
                      + " is null; use an empty text"
                      + " for none")
          .stripTrailing();
    }
    Session session = state.session();
    Task task = team == null ? null : team.task();
    return switch (placeholder.word()) {
      case "session" -> session.name();
      case "iteration" -> Integer.toString(state.iteration());
      case "agent" -> Integer.toString(team == null ? 1 : team.agent());
      case "agents" -> Integer.toString(team == null ? 1 : team.agents());
      case "task" -> "";
      case "spec" -> spec(team);
      case "store" -> location();
      case "role" -> RoleSection.render(role);
      case "inbox" -> inbox(session, recipient(state, team), task);
      case "tasks" -> task == null ? TaskSection.render(session.tasks().list(), state.now()) : "";
      case "notes" -> NoteSection.render(session.notes().list(), state.iteration());
      case "history" -> task == null ? history(state) : "";
      case "tools" -> tools(session, task);
      case "extra" -> extra;
      default -> throw new IllegalArgumentException(placeholder.toString());
    };
  }

  private String location() {
    try {
      return store.get().location();
    } catch (RalphException e) {
      if (tools != null || e.code() != RalphException.Code.UNSUPPORTED) {
        throw e;
      }
      return "not available to processes"; // the agent runs in the program of the loop
    }
  }

  private String spec(@Nullable TeamContext team) {
    if (spec == null) {
      return "none; work from tasks and messages";
    }
    Path file = spec.toAbsolutePath().normalize();
    return team == null ? file.toString() : team.place().spec(file);
  }

  private static MessageRecipient recipient(State state, @Nullable TeamContext team) {
    return team == null
        ? MessageRecipient.ANY
        : new MessageRecipient(team.agent(), team.agents(), team.task() == null, state.iteration());
  }

  private String inbox(Session session, MessageRecipient recipient, @Nullable Task task) {
    List<Message> received =
        session.inbox().unread().stream()
            .filter(message -> recipient.receives(message.agent()))
            .toList();
    String unread = InboxSection.render(received, markReadInstruction(session));
    String handled =
        recipient.agent() == 0
            ? ""
            : InboxSection.renderHandled(session.inbox().history(), recipient);
    return joined(
        joined(unread, handled),
        task == null ? QuestionSection.render(session.questions().open()) : "");
  }

  private static String history(State state) {
    return HistorySection.render(
        state.session().iterations().list(), state.iteration(), state.refusedFor(), state.idle());
  }

  private String tools(Session session, @Nullable Task task) {
    if (tools == null) {
      return "Use your tools for the tasks, notes and messages of this session.";
    }
    String text =
        task == null
            ? tools.describe(session.name(), store.get())
            : tools.describe(session.name(), store.get(), task.number());
    return text.stripTrailing();
  }

  private static String joined(String section, String next) {
    return section.isEmpty() || next.isEmpty() ? section + next : section + "\n\n" + next;
  }

  private String markReadInstruction(Session session) {
    return tools == null
        ? InboxSection.MARK_READ_TOOL
        : tools.markReadInstruction(session.name(), store.get());
  }
}
