package dev.ralph.agentmail;

import dev.ralph.mail.Mailbox;
import dev.ralph.mail.MailboxConformance;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.util.EnumSet;
import java.util.Set;
import org.junit.jupiter.api.io.TempDir;

/** Runs the mailbox conformance tests on AgentMail's files. */
class AgentMailboxTest extends MailboxConformance {

  @TempDir Path repository;

  @Override
  protected void open() throws IOException {
    Files.createDirectory(repository.resolve(".git"));
  }

  @Override
  protected Mailbox box(String name) {
    return AgentMail.of(repository).box(name);
  }

  @Override
  protected void later(Duration time) {}

  @Override
  protected Instant now() {
    return Instant.now();
  }

  @Override
  protected void close() {}

  @Override
  protected Set<Feature> unsupported() {
    return EnumSet.allOf(Feature.class);
  }

  @Override
  protected boolean isHeld(String name) {
    return !name.contains("/") && !name.equals("..");
  }
}
