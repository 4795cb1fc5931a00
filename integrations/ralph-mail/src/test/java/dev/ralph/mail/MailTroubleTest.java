package dev.ralph.mail;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import dev.ralph.Ralph;
import dev.ralph.log.LockedException;
import dev.ralph.log.Meta;
import dev.ralph.log.RalphException;
import dev.ralph.log.RalphException.Code;
import dev.ralph.store.support.SmallDisk;
import dev.ralph.store.support.StoreLock;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Tests mail on a full disk, and while another process keeps the lock of the store. */
@Timeout(300)
class MailTroubleTest {

  private static final Duration LEASE = Duration.ofMinutes(5);
  private static final int MOST = 5_000;

  @TempDir Path temp;

  private static Ralph open(String store, Path folder) {
    return Ralph.builder().store(store).directory(folder).open();
  }

  private static List<String> receiveAll(Mailbox box) {
    List<String> texts = new ArrayList<>();
    for (Optional<Received> next = box.receive(LEASE);
        next.isPresent();
        next = box.receive(LEASE)) {
      texts.add(next.get().mail().text());
      next.get().ack();
    }
    return texts;
  }

  // ---- a full disk

  @ParameterizedTest
  @CsvSource({"file, 256k, 4m", "chronicle, 4m, 16m"})
  void fullDisk_losesNoMail(String store, String size, String larger) throws Exception {
    try (SmallDisk disk = SmallDisk.mount(temp.resolve("disk"), size)) {
      fillAndEnlarge(store, disk, larger);
    }
  }

  private static void fillAndEnlarge(String store, SmallDisk disk, String larger) {
    try (Ralph ralph = open(store, disk.folder().resolve("store"))) {
      Mailboxes boxes = Mailboxes.of(ralph, "shop");
      List<String> sent = new ArrayList<>();
      RalphException refusal = null;
      while (refusal == null && sent.size() < MOST) {
        String text = sent.size() + " " + "x".repeat(10_000);
        try {
          boxes.send(NewMail.of(text).to("ann", "bob"));
          sent.add(text);
        } catch (RalphException e) {
          refusal = e;
        }
      }
      assertThat(refusal)
          .as("after %s mails", sent.size())
          .isNotNull()
          .extracting(RalphException::code)
          .isEqualTo(Code.FULL);
      assertThat(sent).isNotEmpty();
      assertThat(texts(boxes.box("ann"))).isEqualTo(sent);
      assertThat(texts(boxes.box("bob"))).isEqualTo(sent);

      disk.resize(larger);
      boxes.send(NewMail.of("there is room").to("ann", "bob"));
      sent.add("there is room");
      assertThat(receiveAll(boxes.box("ann"))).isEqualTo(sent);
      assertThat(receiveAll(boxes.box("bob"))).isEqualTo(sent);
    }
  }

  private static List<String> texts(Mailbox box) {
    return box.history().stream().map(Mail::text).toList();
  }

  // ---- a store that another process has locked

  /** Acquires and keeps the lock of a store. */
  static final class Holder {
    private Holder() {}

    public static void main(String[] args) throws InterruptedException {
      StoreLock.open(Path.of(args[0])).acquire();
      System.out.print("+");
      System.out.flush();
      Thread.sleep(Long.MAX_VALUE);
    }

    static Process start(Path lock) throws IOException {
      return new ProcessBuilder(
              Path.of(System.getProperty("java.home"), "bin", "java").toString(),
              "-XX:TieredStopAtLevel=1",
              "-XX:+UseSerialGC",
              "-cp",
              System.getProperty("java.class.path"),
              Holder.class.getName(),
              lock.toString())
          .redirectError(ProcessBuilder.Redirect.INHERIT)
          .start();
    }
  }

  @ParameterizedTest
  @ValueSource(strings = {"file", "chronicle"})
  void stoppedLockHolder_isNamedWithinSeconds(String store) throws Exception {
    assumeTrue(Files.isReadable(Path.of("/proc/locks")), "the system does not tell here");
    Path folder = temp.resolve("store");
    try (Ralph ralph = open(store, folder)) {
      Mailboxes boxes = Mailboxes.of(ralph, "shop");
      Mailbox bob = boxes.box("bob");
      boxes.send(NewMail.of("before").to("bob"));
      Process holder = Holder.start(folder.resolve("lock"));
      try {
        assertThat(holder.getInputStream().read()).as("output of the other process").isPositive();
        assertThat(new ProcessBuilder("kill", "-STOP", "" + holder.pid()).start().waitFor())
            .isZero();

        refusesInTime(holder, () -> boxes.send(NewMail.of("meanwhile").to("bob", "ann")));
        refusesInTime(holder, () -> bob.receive(LEASE));
        assertThat(texts(bob)).as("reading needs no lock").containsExactly("before");
      } finally {
        holder.destroyForcibly().waitFor();
      }
      boxes.send(NewMail.of("after").to("bob"));
      assertThat(receiveAll(bob)).containsExactly("before", "after");
      assertThat(boxes.box("ann").history()).isEmpty();
    }
  }

  @Test
  void failedAcknowledgement_isRepeatedByNextCall() throws Exception {
    Path folder = temp.resolve("store");
    try (Ralph ralph = open("file", folder);
        MailTools tools = new MailTools("shop", "bob", LEASE)) {
      Mailbox bob = Mailboxes.of(ralph, "shop").box("bob");
      bob.send(NewMail.of("one").to("bob"));
      bob.send(NewMail.of("two").to("bob"));
      assertThat(receive(tools, ralph)).endsWith("one");
      Process holder = Holder.start(folder.resolve("lock"));
      try {
        assertThat(holder.getInputStream().read()).as("output of the other process").isPositive();
        assertThatThrownBy(() -> receive(tools, ralph)).isInstanceOf(LockedException.class);
      } finally {
        holder.destroyForcibly().waitFor();
      }
      assertThat(receive(tools, ralph)).endsWith("two");
      assertThat(bob.get("m1").state()).isEqualTo(Mail.State.READ);
    }
  }

  private static String receive(MailTools tools, Ralph ralph) {
    return tools.call(ralph, "mail_receive", Meta.empty()).text();
  }

  private static void refusesInTime(Process holder, Runnable call) {
    long begun = System.nanoTime();
    assertThatThrownBy(call::run)
        .isInstanceOfSatisfying(
            LockedException.class, locked -> assertThat(locked.pid()).isEqualTo(holder.pid()))
        .hasMessageContaining("process " + holder.pid() + ", which is stopped");
    assertThat(System.nanoTime() - begun).isLessThan(TimeUnit.SECONDS.toNanos(5));
  }
}
