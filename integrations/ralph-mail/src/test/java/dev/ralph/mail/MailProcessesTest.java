package dev.ralph.mail;

import static org.assertj.core.api.Assertions.assertThat;

import dev.ralph.Ralph;
import dev.ralph.mail.Mail.State;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Clock;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.TreeSet;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Tests processes that share a box, and killed processes. */
@Timeout(600)
class MailProcessesTest {

  private static final int PROCESSES = 4;
  private static final int EACH = 25;
  private static final int KILLED = 137;

  @TempDir Path temp;

  private Ralph open(String store, Clock clock) {
    return Ralph.builder().store(store).directory(temp.resolve("store")).clock(clock).open();
  }

  private Path output(int process) {
    return temp.resolve("output-" + process);
  }

  private static int end(Process process) throws InterruptedException {
    assertThat(process.waitFor(5, TimeUnit.MINUTES)).as("exited in time").isTrue();
    return process.exitValue();
  }

  private List<String> printed(int process) throws IOException {
    return Files.readAllLines(output(process));
  }

  @ParameterizedTest
  @ValueSource(strings = {"file", "chronicle"})
  void concurrentProcesses_receiveEachMailOnce(String store) throws Exception {
    try (Ralph ralph = open(store, Clock.systemUTC())) {
      Mailboxes boxes = Mailboxes.of(ralph, "shop");
      List<Process> processes = new ArrayList<>();
      try {
        for (int i = 0; i < PROCESSES; i++) {
          processes.add(
              ReceivingProcess.start(
                  output(i), store, temp.resolve("store").toString(), "" + EACH, "0"));
        }
        for (int i = 0; i < PROCESSES * EACH; i++) {
          boxes.send(NewMail.of("mail " + i).to("bob")); // to waiting and busy processes
        }
        List<String> got = new ArrayList<>();
        for (int i = 0; i < PROCESSES; i++) {
          assertThat(end(processes.get(i))).as(printed(i).toString()).isZero();
          got.addAll(printed(i));
        }
        assertThat(got).hasSize(PROCESSES * EACH);
        assertThat(new TreeSet<>(got)).as("distinct mails").hasSize(PROCESSES * EACH);
        assertThat(boxes.box("bob").unread()).isEmpty();
      } finally {
        processes.forEach(Process::destroyForcibly);
      }
    }
  }

  /** The appends are a receive, an acknowledgement, and both again for the second mail. */
  @ParameterizedTest
  @CsvSource({
    "1, before",
    "1, after",
    "2, before",
    "2, after",
    "3, before",
    "3, after",
    "4, before",
    "4, after"
  })
  void mailOfKilledReceiver_isRedelivered(String append, String when) throws Exception {
    try (Ralph ralph = open("file", Clock.systemUTC())) {
      Mailboxes.of(ralph, "shop").send(NewMail.of("one").to("bob"));
      Mailboxes.of(ralph, "shop").send(NewMail.of("two").to("bob"));
    }
    Process receiver =
        ReceivingProcess.start(
            output(0), "file", temp.resolve("store").toString(), "2", append, when);
    try {
      assertThat(end(receiver)).as(printed(0).toString()).isEqualTo(KILLED);
    } finally {
      receiver.destroyForcibly();
    }
    List<String> done = printed(0);

    Clock later = Clock.offset(Clock.systemUTC(), Duration.ofHours(1));
    try (Ralph ralph = open("file", later)) {
      Mailbox bob = Mailboxes.of(ralph, "shop").box("bob");
      List<String> again = new ArrayList<>();
      for (Optional<Received> next = receive(bob); next.isPresent(); next = receive(bob)) {
        again.add(next.get().mail().text());
        next.get().ack();
      }
      assertThat(again).doesNotHaveDuplicates();
      assertThat(done).noneMatch(again::contains);
      assertThat(bob.history()).extracting(Mail::state).containsExactly(State.READ, State.READ);
      boolean acknowledgedOne =
          Integer.parseInt(append) > 2 || append.equals("2") && when.equals("after");
      assertThat(again)
          .hasSize(append.equals("4") && when.equals("after") ? 0 : acknowledgedOne ? 1 : 2);
    }
  }

  private static Optional<Received> receive(Mailbox box) {
    return box.receive(Duration.ofMinutes(1));
  }
}
