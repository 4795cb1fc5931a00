/** Mail in the files of AgentMail, shared with its programs. */
module dev.ralph.agentmail {
  requires transitive dev.ralph.mail;
  requires static org.jspecify;

  exports dev.ralph.agentmail;
}
