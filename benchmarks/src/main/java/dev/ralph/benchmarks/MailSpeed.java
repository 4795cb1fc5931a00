package dev.ralph.benchmarks;

import dev.ralph.Ralph;
import dev.ralph.benchmarks.Report.Goal;
import dev.ralph.mail.Mailbox;
import dev.ralph.mail.Mailboxes;
import dev.ralph.mail.NewMail;
import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;

/** Measures the latency of mail to a waiting process. */
final class MailSpeed {

  private static final String PROJECT = "default";
  private static final String BOX = "bob";
  private static final Duration LEASE = Duration.ofMinutes(5);

  private MailSpeed() {}

  /** Receives mails, whose text is the send time, and prints their latencies in milliseconds. */
  public static void main(String[] arguments) throws InterruptedException {
    try (Ralph ralph = Ralph.openExisting(Path.of(arguments[0]))) {
      Mailbox box = Mailboxes.of(ralph, PROJECT).box(BOX);
      for (int left = Integer.parseInt(arguments[1]); left > 0; left--) {
        var received = box.receive(LEASE, LEASE).orElseThrow();
        System.out.println((System.nanoTime() - Long.parseLong(received.mail().text())) / 1e6);
        received.ack();
      }
    }
  }

  /** Measures the latency of mail. */
  static void measure(Sizes sizes, Report report) throws IOException {
    Path store = Logs.directory().resolve("mail-waiting");
    int calls = sizes.warmupCalls() + sizes.calls();
    double[] millis = new double[sizes.calls()];
    try (Ralph ralph = Ralph.open(store);
        ChildJvm child =
            ChildJvm.start(MailSpeed.class, List.of(), store.toString(), Integer.toString(calls))) {
      Mailboxes boxes = Mailboxes.of(ralph, PROJECT);
      for (int i = -sizes.warmupCalls(); i < millis.length; i++) {
        boxes.send(NewMail.of(Long.toString(System.nanoTime())).to(BOX));
        double took = child.figures()[0];
        if (i >= 0) {
          millis[i] = took;
        }
      }
    }
    report.add(
        "mail sent to received in another process that waits",
        "ms",
        Measured.ofCalls(millis),
        Measured.of(),
        Goal.oursAtMost(5));
  }
}
