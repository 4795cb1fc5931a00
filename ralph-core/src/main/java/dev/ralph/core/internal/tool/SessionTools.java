package dev.ralph.core.internal.tool;

import dev.ralph.Message;
import dev.ralph.Note;
import dev.ralph.NoteLog;
import dev.ralph.Question;
import dev.ralph.Session;
import dev.ralph.core.internal.delivery.AgentInbox;
import dev.ralph.core.internal.delivery.OperatorMessages;
import dev.ralph.core.internal.delivery.ReadingProof;
import dev.ralph.core.internal.text.AssignedTask;
import dev.ralph.core.internal.text.TextExcerpt;
import dev.ralph.log.RalphException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.stream.Collectors;

/**
 * The tools of a session. Their names, words and replies equal those of ralph.nu if it has the
 * tool.
 */
final class SessionTools {

  private static final int NOTE = 1_500;
  private static final int MESSAGE = 8_000;

  private static final int PREVIEW = 50;

  /** The time in which other agents mark shown messages as read; they check every second. */
  private static final Duration OTHERS_MARK_WITHIN = Duration.ofSeconds(2);

  static final String ID = "id";
  private static final String CONTENT = "content";
  private static final String TYPE = "type";
  private static final String WORD = "word";

  private static final List<String> NOTE_TYPES =
      List.of(NoteLog.LEARNING, NoteLog.STUCK, NoteLog.TIP, NoteLog.DECISION, NoteLog.BLOCKED);

  private SessionTools() {}

  /** Returns all tools. */
  static List<SessionTool> all() {
    List<SessionTool> all = new ArrayList<>(inbox());
    all.addAll(TaskTools.all());
    all.addAll(notesAndOperator());
    return all;
  }

  private static List<SessionTool> inbox() {
    return List.of(
        new SessionTool(
                "inbox_list",
                "Get unread inbox messages from the operator. Check this at start of each"
                    + " iteration.",
                SessionTools::inboxList)
            .text(ID, "Show this message in full")
            .number(ReplyLimits.OFFSET, "Messages to skip; with id, characters")
            .asInbox(),
        new SessionTool(
                "inbox_mark_read",
                "Mark an inbox message as read after processing.",
                SessionTools::inboxMarkRead)
            .requiredText(ID, "Message ID from inbox_list"));
  }

  private static List<SessionTool> notesAndOperator() {
    return List.of(
        new SessionTool(
                "note_add",
                "Add a note for future iterations (learnings, tips, blockers, decisions).",
                SessionTools::noteAdd)
            .requiredText(CONTENT, "Note content")
            .requiredChoice(TYPE, "", NOTE_TYPES),
        new SessionTool(
                "note_list", "List notes from this session, newest first.", SessionTools::noteList)
            .text(ID, "Show this note in full")
            .text(TYPE, "Only notes of this type")
            .number(ReplyLimits.OFFSET, "Notes to skip; with id, characters")
            .readOnly(),
        new SessionTool(
                "ask",
                "Ask the operator a question that only a person can decide. The answer comes as a"
                    + " message with a later tool result or in a later prompt; continue with"
                    + " other work.",
                SessionTools::ask)
            .requiredText("question", "One question, with the information for an answer"),
        new SessionTool(
                "session_complete",
                "Signal that ALL tasks are complete. Only call when every task is completed or"
                    + " cancelled. Refused, with the reasons, while a task is open, a message is"
                    + " unread, or a gate (a check by the operator) fails.",
                SessionTools::sessionComplete)
            .text(WORD, "The word from a refusal")
            .asCompletion());
  }

  // ---- inbox

  private static String inboxList(CallScope scope, ToolArguments arguments) {
    String id = arguments.id(ID, 'm');
    if (id != null) {
      Message message = scope.session().inbox().get(id);
      String text = TextExcerpt.clean(message.text());
      int offset = ReplyLimits.offset(arguments, text);
      int end = TextExcerpt.end(text, offset + ReadingProof.fitting(text, offset));
      if (end == text.length()) {
        scope.ending().add(message.id());
      }
      return OperatorMessages.heading(message)
          + ReplyLimits.part("inbox_list", id, text, offset, end);
    }
    List<Message> messages = taken(scope, arguments);
    int hidden = scope.session().inbox().unread().size() - messages.size();
    String later =
        hidden == 0
            ? ""
            : "(" + hidden + " more: for the next iteration, or already shown to another agent)";
    if (messages.isEmpty()) {
      return "No unread messages" + (later.isEmpty() ? "" : "\n" + later);
    }
    String list =
        ReplyLimits.page("inbox_list", arguments, messages, SessionTools::line)
            + "\nAfter processing, call inbox_mark_read with the ID of each message.";
    return later.isEmpty() ? list : list + "\n" + later;
  }

  /**
   * Returns the unread messages. Messages that fit into the reply are taken for the agent; other
   * agents may have taken some.
   */
  private static List<Message> taken(CallScope scope, ToolArguments arguments) {
    AgentInbox inbox = AgentInbox.of(scope.session());
    List<Message> messages = inbox.unreadBy(scope.call().reader());
    while (!messages.isEmpty()) {
      int offset = arguments.number(ReplyLimits.OFFSET, 0, 0, Integer.MAX_VALUE);
      int room = ReplyLimits.lines(offset, messages, SessionTools::line).size();
      List<String> ids = messages.stream().skip(offset).limit(room).map(Message::id).toList();
      Duration lease = scope.settings().messageLease();
      List<String> own = inbox.take(scope.call(), lease, ids).stream().map(Message::id).toList();
      if (own.size() == ids.size()) {
        break;
      }
      messages =
          messages.stream()
              .filter(message -> !ids.contains(message.id()) || own.contains(message.id()))
              .toList();
    }
    return messages;
  }

  /** Renders a message as an item of a list. */
  static String line(Message message) {
    return OperatorMessages.heading(message)
        + ReplyLimits.cut(
            message.beginning(MESSAGE), message.length(), "inbox_list", "m" + message.number());
  }

  /** Returns the proof that an agent has read its messages. */
  static ReadingProof proof(Session session, String reader, Set<String> ended) {
    return ReadingProof.of(
        AgentInbox.of(session).unreadBy(reader), message -> ended.contains(message.id()));
  }

  /** Renders the messages with the word that proves their reading. */
  static String proof(ReadingProof proof) {
    return "\n\n"
        + OperatorMessages.unread(
            proof.messages(),
            message -> ReadingProof.item(message, OperatorMessages.heading(message)))
        + "\n(When you have done the requested work, call session_complete with word "
        + proof.word()
        + ".)";
  }

  /** Renders instructions for messages that are too long to show with a word. */
  static String readFirst(List<Message> cut) {
    return cut.isEmpty()
        ? ""
        : "\n(Read "
            + cut.stream().map(message -> "m" + message.number()).collect(Collectors.joining(", "))
            + " to the end first: inbox_list with the id, then inbox_mark_read.)";
  }

  private static String inboxMarkRead(CallScope scope, ToolArguments arguments) {
    String id = arguments.requiredId(ID, 'm');
    boolean wasRead = scope.session().inbox().get(id).isRead();
    int reader = scope.session().inbox().markRead(id, scope.call().reader()).readBy();
    return wasRead && reader > 0 && reader != scope.agent()
        ? "Message " + id + " was already handled by agent " + reader
        : "Message " + id + " marked as read";
  }

  // ---- notes

  private static String noteAdd(CallScope scope, ToolArguments arguments) {
    String type = arguments.required(TYPE);
    String content = arguments.required(CONTENT);
    scope.session().notes().add(type, content, scope.iteration());
    return "Note added: [" + type + "] " + TextExcerpt.firstLine(content, PREVIEW);
  }

  private static String noteList(CallScope scope, ToolArguments arguments) {
    String type = arguments.text(TYPE);
    NoteLog log = scope.session().notes();
    String id = arguments.id(ID, 'n');
    if (id != null) {
      Note note = log.get(id);
      return heading(note)
          + ReplyLimits.part("note_list", "n" + note.number(), note.content(), arguments);
    }
    List<Note> notes = new ArrayList<>(type == null ? log.list() : log.byType(type));
    if (notes.isEmpty()) {
      return type == null ? "No notes yet" : "No notes of type " + RalphException.quote(type);
    }
    java.util.Collections.reverse(notes);
    return ReplyLimits.page(
        "note_list",
        arguments,
        notes,
        note ->
            heading(note)
                + ReplyLimits.cut(
                    note.beginning(NOTE), note.length(), "note_list", "n" + note.number()));
  }

  private static String heading(Note note) {
    return "- "
        + (note.iteration() == 0 ? "" : "[#" + note.iteration() + "] ")
        + note.type()
        + ": ";
  }

  // ---- the operator

  private static String ask(CallScope scope, ToolArguments arguments) {
    Question question =
        scope
            .session()
            .questions()
            .ask(arguments.required("question"), scope.owner(), scope.iteration());
    return "Question q"
        + question.number()
        + " recorded. The answer comes as a message with a later tool result or in a later prompt;"
        + " continue with other work.";
  }

  /**
   * Waits until other readers of the same agent have recorded which messages the agent has seen.
   */
  private static void awaitOthers(CallScope scope) {
    try {
      AgentInbox.of(scope.session()).awaitOthers(scope.call(), OTHERS_MARK_WITHIN);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt(); // unread messages are rejected as usual
    }
  }

  private static String sessionComplete(CallScope scope, ToolArguments arguments) {
    Session session = scope.session();
    AssignedTask.requireFinished(session, scope.agent());
    awaitOthers(scope);
    String word = arguments.text(WORD);
    ReadingProof proof = proof(session, scope.call().reader(), scope.ended());
    if (proof.isProvenBy(word)) {
      List<String> ids = proof.messages().stream().map(Message::id).toList();
      AgentInbox.of(session).acknowledge(scope.call(), ids);
    }
    boolean done = session.inbox().unread().isEmpty() && session.tasks().list().open().isEmpty();
    // With open tasks or unread messages no gate runs: complete() below rejects the call.
    boolean finished = !done || scope.gates().run(scope.progress());
    session.control().complete();
    String marked = "Session \"" + session.name() + "\" marked complete. ";
    if (session.control().running().isEmpty()) {
      return marked + "No loop runs; the next loop runs its gates first.";
    }
    return marked
        + (scope.gates().isEmpty() || !finished
            ? "End your work now: the loop then runs its gates"
                + (finished ? "" : ", which take longer than a tool may,")
                + " and if a gate fails, the next prompt shows the reason."
            : "The gates passed. End your work now, and change nothing more.");
  }
}
