package dev.ralph.benchmarks;

import dev.ralph.Ralph;
import dev.ralph.benchmarks.Report.Goal;
import dev.ralph.log.Draft;
import dev.ralph.log.Durability;
import dev.ralph.log.Frame;
import dev.ralph.log.Meta;
import dev.ralph.log.Topic;
import dev.ralph.mail.Mailbox;
import dev.ralph.mail.Mailboxes;
import dev.ralph.mail.NewMail;
import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** What a cold process needs to receive mail, and how soon one that waits has it. */
final class MailSpeed {

  private static final String PROJECT = "default";
  private static final String BOX = "bob";
  private static final int FEW = 10;
  private static final int BATCH = 20;
  private static final Duration LEASE = Duration.ofMinutes(5);

  private MailSpeed() {}

  /** Waits for mail, whose text is when it was sent, and prints how many milliseconds it took. */
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

  /** Measures the command that the launcher starts, and processes of this program. */
  static void measure(Sizes sizes, Report report, @Nullable Path ralph)
      throws IOException, InterruptedException {
    waiting(sizes, report);
    if (ralph == null) {
      Benchmarks.progress("left out: there is no launcher");
      return;
    }
    int many = Math.max(FEW, sizes.frames() / 10);
    Path few = fill("mail-few", FEW, false);
    Path unread = fill("mail-unread", many, false);
    Path settled = fill("mail-settled", many, true);
    cold(sizes, report, ralph, "at " + many + " unread (at " + FEW + ")", unread, few);
    cold(sizes, report, ralph, "at " + many + " read (at " + FEW + " unread)", settled, few);
  }

  private static void waiting(Sizes sizes, Report report) throws IOException {
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

  /** Makes a box; one whose mail is read has one more that is not. */
  private static Path fill(String name, int count, boolean read) {
    Path store = Logs.directory().resolve(name);
    Topic topic = Topic.of("mail." + PROJECT + "." + BOX);
    try (Ralph ralph = Ralph.open(store)) {
      List<Draft> sent = new ArrayList<>();
      for (int i = 1; i <= count; i++) {
        sent.add(
            Draft.of(
                topic,
                Meta.of("status", "unread").with("n", i).with("by", "ann"),
                "Build part " + i + " of the shop, and say when it is done"));
      }
      List<Draft> marks = new ArrayList<>();
      for (Frame frame : append(ralph, sent)) {
        marks.add(Draft.of(topic, Meta.of("action", "mark_read").with("id", frame.id())));
      }
      if (read) {
        append(ralph, marks);
        Mailboxes.of(ralph, PROJECT).send(NewMail.of("Build the rest").to(BOX));
      }
      Mailboxes.of(ralph, PROJECT).box(BOX).unread();
    }
    return store;
  }

  private static List<Frame> append(Ralph ralph, List<Draft> drafts) {
    List<Frame> frames = new ArrayList<>();
    for (int from = 0; from < drafts.size(); from += BATCH) {
      int to = Math.min(drafts.size(), from + BATCH);
      frames.addAll(ralph.append(drafts.subList(from, to), Durability.OS));
    }
    return frames;
  }

  private static void cold(
      Sizes sizes, Report report, Path ralph, String what, Path ours, Path baseline)
      throws IOException, InterruptedException {
    double[] own = new double[sizes.starts()];
    double[] other = new double[sizes.starts()];
    for (int i = 0; i < own.length; i++) {
      own[i] = receive(ralph, ours);
      other[i] = receive(ralph, baseline);
    }
    report.add(
        "ralph mail receive " + what, "ms", Measured.of(own), Measured.of(other), Goal.atMost(1.2));
  }

  private static double receive(Path ralph, Path store) throws IOException, InterruptedException {
    ProcessBuilder builder =
        new ProcessBuilder(
            ralph.toString(),
            "mail",
            "receive",
            "--as",
            BOX,
            "--lease",
            "1ms",
            "--store",
            store.toString());
    builder.redirectErrorStream(true);
    builder.redirectOutput(Logs.directory().resolve("answer").toFile());
    long begin = System.nanoTime();
    Process process = builder.start();
    process.getOutputStream().close();
    int code = process.waitFor();
    double millis = (System.nanoTime() - begin) / 1e6;
    if (code != 0) {
      throw new IOException("ralph mail receive ended with " + code);
    }
    return millis;
  }
}
