package dev.ralph.tool;

import dev.ralph.log.StoreInfo;

/** Describes the tools of an MCP server that the agent's client starts. */
final class McpTools implements Tools {

  private final String prefix;

  McpTools(String prefix) {
    this.prefix = prefix;
  }

  @Override
  public String describe(String session, StoreInfo store) {
    return String.join(
        "\n",
        "Call these tools of the MCP server ralph, which is for this session; session_name is not"
            + " needed.",
        "- "
            + prefix
            + "task_list, "
            + prefix
            + "task_add, "
            + prefix
            + "task_edit, "
            + prefix
            + "task_status: the tasks",
        "- " + prefix + "task_next: takes the next ready task",
        "- " + prefix + "note_list, " + prefix + "note_add: notes for later iterations",
        "- "
            + prefix
            + "inbox_list, "
            + prefix
            + "inbox_mark_read: messages from the operator; new ones also come with the result of"
            + " any of these tools, and stay unread until you mark them",
        "- "
            + prefix
            + "ask: a question to the operator; the answer comes as a message later, so"
            + " continue with other work",
        "- " + prefix + "session_complete: only when every task is done; this is \"complete\"");
  }

  @Override
  public String describe(String session, StoreInfo store, int task) {
    String own = "t" + task;
    return String.join(
        "\n",
        "Call these tools of the MCP server ralph; session_name is not needed.",
        "- " + prefix + "task_status: set " + own + " to completed, or to blocked with the reason",
        "- " + prefix + "task_add: add further work; " + prefix + "task_list: look up a task",
        "- " + prefix + "note_add, " + prefix + "note_list: notes for later agents",
        "- "
            + prefix
            + "inbox_list, "
            + prefix
            + "inbox_mark_read: messages from the operator; new messages also come with the results"
            + " of these tools",
        "- " + prefix + "ask: a question to the operator; the answer comes later as a message");
  }

  @Override
  public String markReadInstruction(String session, StoreInfo store) {
    return "After reading, call " + prefix + "inbox_mark_read(id) for each message.";
  }
}
