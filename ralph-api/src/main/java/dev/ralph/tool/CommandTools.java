package dev.ralph.tool;

import dev.ralph.log.RalphException;
import dev.ralph.log.StoreInfo;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Map;

/** Describes the tools as shell commands of the {@code ralph} launcher. */
final class CommandTools implements Tools {

  private static final String VARIABLE = "RALPH";
  private static final String CALL = "\"$" + VARIABLE + "\" ";

  private final Path program;
  private final String launcher;

  CommandTools(Path launcher) {
    this.program = launcher.toAbsolutePath().normalize();
    this.launcher = ShellWord.quote(program.toString());
  }

  /** Uses a variable for the path of the program, because prompts cost tokens. */
  @Override
  public String describe(String session, StoreInfo store) {
    return String.join(
        "\n",
        "Run these shell commands verbatim. Replace only ID, TEXT, CODE and the note type."
            + " $RALPH is set to "
            + launcher
            + ".",
        "",
        "# Tasks: list all or ready tasks, show, add, change the text",
        CALL + "tasks",
        CALL + "tasks --ready",
        CALL + "task show ID",
        CALL + "task add 'TEXT'",
        CALL + "task edit ID 'TEXT'",
        "",
        "# Status of a task (remaining, in_progress, blocked, completed, cancelled): begun,"
            + " done, no longer needed, blocked with the reason",
        CALL + "task status ID in_progress",
        CALL + "task done ID",
        CALL + "task cancel ID",
        CALL + "task block ID 'TEXT'",
        "",
        "# Notes for later iterations, of type learning, stuck, tip, decision or blocked;"
            + " remove an outdated note",
        CALL + "notes",
        CALL + "note add --type learning 'TEXT'",
        CALL + "note remove ID",
        "",
        "# Long TEXT, or TEXT with an apostrophe: pass '-' and pipe TEXT in",
        CALL + "note add --type learning - <<'EOF'",
        "TEXT",
        "EOF",
        "",
        "# Messages from the operator",
        CALL + "inbox",
        CALL + "inbox read ID",
        "",
        "# Ask the operator; the answer comes as a message later, so continue with other work",
        CALL + "ask 'TEXT'",
        "",
        "# Only when every task is done; if a refusal shows a code, do the requested work and add"
            + " --word CODE",
        CALL + "complete");
  }

  @Override
  public String describe(String session, StoreInfo store, int task) {
    String own = "t" + task;
    return String.join(
        "\n",
        "Run these shell commands verbatim. Replace ID, TEXT and the note type. $RALPH is set.",
        "# Your task: completed; blocked, with the reason",
        CALL + "task done " + own,
        CALL + "task block " + own + " 'TEXT'",
        "# Add a task for further work; show a task",
        CALL + "task add 'TEXT'",
        CALL + "task show ID",
        "# Notes for later agents, of type learning, stuck, tip, decision or blocked",
        CALL + "note add --type learning 'TEXT'",
        CALL + "notes",
        "# Messages from the operator; a question, whose answer comes later as a message",
        CALL + "inbox",
        CALL + "inbox read ID",
        CALL + "ask 'TEXT'",
        "# Long TEXT, or TEXT with an apostrophe:",
        CALL + "note add --type learning - <<'EOF'",
        "TEXT",
        "EOF");
  }

  @Override
  public String markReadInstruction(String session, StoreInfo store) {
    return "After reading, run this for each message: " + CALL + "inbox read ID";
  }

  @Override
  public Map<String, String> variables() {
    return Map.of(VARIABLE, program.toString());
  }

  @Override
  public void requireReady(StoreInfo store) {
    if (!store.capabilities().contains(StoreInfo.Capability.MULTI_PROCESS)) {
      throw RalphException.invalid(
          "the agent can't reach the session by commands, because no other process can use the"
              + " store "
              + store.location()
              + ", of the kind "
              + store.kind()
              + "; use a different store, such as file, or different tools");
    }
    if (!Files.isExecutable(program) || Files.isDirectory(program)) {
      throw RalphException.invalid(
          "the agent can't reach the session by commands, because "
              + RalphException.quote(program.toString())
              + " is not an executable file; give the path of the ralph launcher");
    }
  }
}
