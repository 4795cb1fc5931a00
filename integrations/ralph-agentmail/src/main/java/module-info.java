/** Mailboxes in AgentMail's files. */
module dev.ralph.agentmail {
  requires transitive dev.ralph.mail;
  requires static org.jspecify;

  exports dev.ralph.agentmail;
}
