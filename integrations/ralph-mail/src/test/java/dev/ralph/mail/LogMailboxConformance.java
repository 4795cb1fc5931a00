package dev.ralph.mail;

import dev.ralph.Ralph;
import dev.ralph.test.ManualClock;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import org.junit.jupiter.api.io.TempDir;

/** A mailbox in the log supports all features. */
abstract class LogMailboxConformance extends MailboxConformance {

  private final ManualClock clock = ManualClock.at("2026-03-01T10:00:00Z");
  private Ralph ralph;
  private Mailboxes boxes;

  @TempDir Path temp;

  /** Returns the kind of store. */
  abstract String store();

  @Override
  protected void open() {
    Ralph.Builder builder = Ralph.builder().store(store()).clock(clock);
    ralph = (store().equals("memory") ? builder : builder.directory(temp.resolve("s"))).open();
    boxes = Mailboxes.of(ralph, "shop");
  }

  @Override
  protected Mailbox box(String name) {
    return boxes.box(name);
  }

  @Override
  protected void later(Duration time) {
    clock.advance(time);
  }

  @Override
  protected Instant now() {
    return clock.instant();
  }

  @Override
  protected void close() {
    ralph.close();
  }
}
