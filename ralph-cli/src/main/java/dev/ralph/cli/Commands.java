package dev.ralph.cli;

import dev.ralph.Task;
import dev.ralph.cli.agent.AgentContextCommand;
import dev.ralph.cli.agent.AgentGroup;
import dev.ralph.cli.agent.AgentLearnCommand;
import dev.ralph.cli.agent.AgentSessionEndCommand;
import dev.ralph.cli.agent.AgentSessionInitCommand;
import dev.ralph.cli.agent.AgentSessionListCommand;
import dev.ralph.cli.agent.AgentSessionNextStoryCommand;
import dev.ralph.cli.agent.AgentSessionResumeCommand;
import dev.ralph.cli.agent.AgentStatusCommand;
import dev.ralph.cli.agent.AgentTaskDoneCommand;
import dev.ralph.cli.call.Command;
import dev.ralph.cli.inbox.AnswerCommand;
import dev.ralph.cli.inbox.AskCommand;
import dev.ralph.cli.inbox.InboxCommand;
import dev.ralph.cli.inbox.InboxReadCommand;
import dev.ralph.cli.inbox.InboxShowCommand;
import dev.ralph.cli.inbox.MessageCommand;
import dev.ralph.cli.inbox.QuestionsCommand;
import dev.ralph.cli.loop.BuildCommand;
import dev.ralph.cli.loop.GenTemplateCommand;
import dev.ralph.cli.loop.NextPrompt;
import dev.ralph.cli.loop.WorkCommand;
import dev.ralph.cli.mail.MailAskCommand;
import dev.ralph.cli.mail.MailBoxesCommand;
import dev.ralph.cli.mail.MailListCommand;
import dev.ralph.cli.mail.MailReceiveCommand;
import dev.ralph.cli.mail.MailReplyCommand;
import dev.ralph.cli.mail.MailSendCommand;
import dev.ralph.cli.mail.MailSettleCommand;
import dev.ralph.cli.mail.MailShowCommand;
import dev.ralph.cli.mail.MailThreadCommand;
import dev.ralph.cli.mail.MailWatchCommand;
import dev.ralph.cli.note.NoteAddCommand;
import dev.ralph.cli.note.NoteRemoveCommand;
import dev.ralph.cli.note.NoteShowCommand;
import dev.ralph.cli.note.NotesCommand;
import dev.ralph.cli.project.BranchCommand;
import dev.ralph.cli.project.DemoCommand;
import dev.ralph.cli.project.InitCommand;
import dev.ralph.cli.project.McpCommand;
import dev.ralph.cli.project.RaiseCommand;
import dev.ralph.cli.project.TrustCommand;
import dev.ralph.cli.session.ControlCommand;
import dev.ralph.cli.session.CostCommand;
import dev.ralph.cli.session.DeleteCommand;
import dev.ralph.cli.session.DiffCommand;
import dev.ralph.cli.session.ForkCommand;
import dev.ralph.cli.session.IterationsCommand;
import dev.ralph.cli.session.ReplayCommand;
import dev.ralph.cli.session.SessionsCommand;
import dev.ralph.cli.session.StatusCommand;
import dev.ralph.cli.store.CompactCommand;
import dev.ralph.cli.store.DoctorCommand;
import dev.ralph.cli.store.EraseCommand;
import dev.ralph.cli.store.ExportCommand;
import dev.ralph.cli.store.ImportCommand;
import dev.ralph.cli.store.LogCommand;
import dev.ralph.cli.store.VerifyCommand;
import dev.ralph.cli.task.TaskAddCommand;
import dev.ralph.cli.task.TaskBlockCommand;
import dev.ralph.cli.task.TaskClaimCommand;
import dev.ralph.cli.task.TaskDependCommand;
import dev.ralph.cli.task.TaskEditCommand;
import dev.ralph.cli.task.TaskEndCommand;
import dev.ralph.cli.task.TaskReleaseCommand;
import dev.ralph.cli.task.TaskRenewCommand;
import dev.ralph.cli.task.TaskShowCommand;
import dev.ralph.cli.task.TaskStatusCommand;
import dev.ralph.cli.task.TasksCommand;
import dev.ralph.cli.tx.TxAskCommand;
import dev.ralph.cli.tx.TxDeliverCommand;
import dev.ralph.cli.tx.TxMsgCommand;
import dev.ralph.cli.tx.TxOrphansCommand;
import dev.ralph.cli.tx.TxReplyCommand;
import dev.ralph.cli.tx.TxSendCommand;
import dev.ralph.cli.tx.TxStatusCommand;
import dev.ralph.cli.tx.TxThreadCommand;
import dev.ralph.cli.watch.WatchCommand;
import dev.ralph.cli.web.ServeCommand;
import dev.ralph.cli.web.TokenAddCommand;
import dev.ralph.cli.web.TokenListCommand;
import dev.ralph.cli.web.TokenRevokeCommand;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** All commands by name. */
final class Commands {

  /** The names in display order. */
  static final List<String> NAMES =
      List.of(
          "build",
          "work",
          "message",
          "questions",
          "answer",
          "ask",
          "status",
          "watch",
          "sessions",
          "fork",
          "diff",
          "replay",
          "delete",
          "tasks",
          "task add",
          "task show",
          "task status",
          "task claim",
          "task renew",
          "task release",
          "task done",
          "task cancel",
          "task block",
          "task edit",
          "task depend",
          "task undepend",
          "notes",
          "note show",
          "note add",
          "note remove",
          "inbox",
          "inbox show",
          "inbox read",
          "mail send",
          "mail receive",
          "mail ack",
          "mail release",
          "mail renew",
          "mail reply",
          "mail ask",
          "mail list",
          "mail show",
          "mail thread",
          "mail watch",
          "mail boxes",
          "tx send",
          "tx ask",
          "tx reply",
          "tx deliver",
          "tx status",
          "tx msg",
          "tx thread",
          "tx orphans",
          "iterations",
          "cost",
          "branch list",
          "branch diff",
          "branch merge",
          "branch discard",
          "log",
          "erase",
          "compact",
          "export",
          "import",
          "complete",
          "pause",
          "resume",
          "raise",
          "stop",
          "mcp",
          "serve",
          "token add",
          "token list",
          "token revoke",
          "init",
          "trust",
          "gen-template",
          "completion",
          "doctor",
          "verify",
          "demo",
          "agent session init",
          "agent session next-story",
          "agent session flush",
          "agent session end",
          "agent session resume",
          "agent session list",
          "agent context",
          "agent task done",
          "agent status",
          "agent learn");

  /** The maximum number of words in a name. */
  private static final int MOST_WORDS = 3;

  private Commands() {}

  /** Returns the longest command name at the beginning of the words, or null. */
  static @Nullable String named(List<String> words) {
    for (int count = Math.min(MOST_WORDS, words.size()); count > 0; count--) {
      String name = String.join(" ", words.subList(0, count));
      if (create(name) != null) {
        return name;
      }
    }
    return null;
  }

  /**
   * Returns the longest group of commands at the beginning of the words, such as {@code task} or
   * {@code agent session}, or null.
   */
  static @Nullable String group(List<String> words) {
    for (int count = Math.min(MOST_WORDS - 1, words.size()); count > 0; count--) {
      String group = String.join(" ", words.subList(0, count));
      if (!verbsOf(group).isEmpty()) {
        return group;
      }
    }
    return null;
  }

  /** Returns the number of words in the name of a command or group. */
  static int wordsOf(String name) {
    int words = 1;
    for (int i = 0; i < name.length(); i++) {
      words += name.charAt(i) == ' ' ? 1 : 0;
    }
    return words;
  }

  /** Returns the commands of a group. */
  static List<String> in(String group) {
    List<String> names = new ArrayList<>();
    for (String name : NAMES) {
      if (name.startsWith(group + " ")) {
        names.add(name);
      }
    }
    return names;
  }

  /** Returns the words that may follow a group; empty if the group does not exist. */
  static List<String> verbsOf(String group) {
    List<String> verbs = new ArrayList<>();
    for (String name : in(group)) {
      int end = name.indexOf(' ', group.length() + 1);
      String verb = name.substring(group.length() + 1, end < 0 ? name.length() : end);
      if (!verbs.contains(verb)) {
        verbs.add(verb);
      }
    }
    return verbs;
  }

  /** Returns a description of a group in a single line. */
  static String summaryOf(String group) {
    return switch (group) {
      case AgentGroup.NAME -> AgentGroup.SUMMARY;
      case "agent session" -> "for an orchestrator: begin, resume and end the session on a change";
      case "agent task" -> "for a coding agent: complete a task of the story";
      default -> "commands for a single " + group;
    };
  }

  /** Returns whether a command or a group is for programs only. */
  static boolean isForMachines(String name) {
    return name.equals(AgentGroup.NAME) || name.startsWith(AgentGroup.NAME + " ");
  }

  /** Creates the command with a name; returns null if the name is unknown. */
  static @Nullable Command create(String name) {
    return switch (name) {
      case "build" -> new BuildCommand();
      case "work" -> new WorkCommand();
      case "message" -> new MessageCommand();
      case "questions" -> new QuestionsCommand();
      case "answer" -> new AnswerCommand();
      case "ask" -> new AskCommand();
      case "status" -> new StatusCommand();
      case "watch" -> new WatchCommand(NextPrompt::of);
      case "sessions" -> new SessionsCommand();
      case "tasks" -> new TasksCommand();
      case "task add" -> new TaskAddCommand();
      case "task show" -> new TaskShowCommand();
      case "task status" -> new TaskStatusCommand();
      case "task claim" -> new TaskClaimCommand();
      case "task renew" -> new TaskRenewCommand();
      case "task release" -> new TaskReleaseCommand();
      case "task done" -> new TaskEndCommand(Task.Status.COMPLETED);
      case "task cancel" -> new TaskEndCommand(Task.Status.CANCELLED);
      case "task block" -> new TaskBlockCommand();
      case "task edit" -> new TaskEditCommand();
      case "task depend" -> new TaskDependCommand(true);
      case "task undepend" -> new TaskDependCommand(false);
      case "notes" -> new NotesCommand();
      case "note show" -> new NoteShowCommand();
      case "note add" -> new NoteAddCommand();
      case "note remove" -> new NoteRemoveCommand();
      case "inbox" -> new InboxCommand();
      case "inbox show" -> new InboxShowCommand();
      case "inbox read" -> new InboxReadCommand();
      case "mail send" -> new MailSendCommand();
      case "mail receive" -> new MailReceiveCommand();
      case "mail ack" -> new MailSettleCommand(MailSettleCommand.Act.ACK);
      case "mail release" -> new MailSettleCommand(MailSettleCommand.Act.RELEASE);
      case "mail renew" -> new MailSettleCommand(MailSettleCommand.Act.RENEW);
      case "mail reply" -> new MailReplyCommand();
      case "mail ask" -> new MailAskCommand();
      case "mail list" -> new MailListCommand();
      case "mail show" -> new MailShowCommand();
      case "mail thread" -> new MailThreadCommand();
      case "mail watch" -> new MailWatchCommand();
      case "mail boxes" -> new MailBoxesCommand();
      case "tx send" -> new TxSendCommand();
      case "tx ask" -> new TxAskCommand();
      case "tx reply" -> new TxReplyCommand();
      case "tx deliver" -> new TxDeliverCommand();
      case "tx status" -> new TxStatusCommand();
      case "tx msg" -> new TxMsgCommand();
      case "tx thread" -> new TxThreadCommand();
      case "tx orphans" -> new TxOrphansCommand();
      case "iterations" -> new IterationsCommand();
      case "cost" -> new CostCommand();
      case "branch list" -> new BranchCommand(BranchCommand.Act.LIST);
      case "branch diff" -> new BranchCommand(BranchCommand.Act.DIFF);
      case "branch merge" -> new BranchCommand(BranchCommand.Act.MERGE);
      case "branch discard" -> new BranchCommand(BranchCommand.Act.DISCARD);
      case "log" -> new LogCommand();
      case "erase" -> new EraseCommand();
      case "compact" -> new CompactCommand();
      case "fork" -> new ForkCommand();
      case "diff" -> new DiffCommand();
      case "replay" -> new ReplayCommand();
      case "delete" -> new DeleteCommand();
      case "export" -> new ExportCommand();
      case "import" -> new ImportCommand();
      case "complete", "pause", "resume", "stop" -> new ControlCommand(name);
      case "raise" -> new RaiseCommand();
      case "mcp" -> new McpCommand();
      case "serve" -> new ServeCommand();
      case "token add" -> new TokenAddCommand();
      case "token list" -> new TokenListCommand();
      case "token revoke" -> new TokenRevokeCommand();
      case "init" -> new InitCommand();
      case "trust" -> new TrustCommand();
      case "gen-template" -> new GenTemplateCommand();
      case "completion" -> new CompletionCommand();
      case "doctor" -> new DoctorCommand();
      case "verify" -> new VerifyCommand();
      case "demo" -> new DemoCommand();
      case "agent session init" -> new AgentSessionInitCommand();
      case "agent session next-story" -> new AgentSessionNextStoryCommand();
      case "agent session flush" -> new AgentSessionEndCommand(true);
      case "agent session end" -> new AgentSessionEndCommand(false);
      case "agent session resume" -> new AgentSessionResumeCommand();
      case "agent session list" -> new AgentSessionListCommand();
      case "agent context" -> new AgentContextCommand();
      case "agent task done" -> new AgentTaskDoneCommand();
      case "agent status" -> new AgentStatusCommand();
      case "agent learn" -> new AgentLearnCommand();
      default -> null;
    };
  }
}
