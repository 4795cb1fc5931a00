package dev.ralph.agentmail;

/** Lines in the form of the first AgentMail release. */
final class AgentMessageLines {

  private AgentMessageLines() {}

  /** Returns the line of a message from ann to bob; the text must need no escapes. */
  static String line(String id, String text, boolean read) {
    return "{\"id\":\""
        + id
        + "\",\"from\":\"ann\",\"to\":\"bob\",\"message\":\""
        + text
        + "\",\"read_flag\":"
        + read
        + "}";
  }
}
