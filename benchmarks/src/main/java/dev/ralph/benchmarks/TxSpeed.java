package dev.ralph.benchmarks;

import dev.ralph.Ralph;
import dev.ralph.benchmarks.Report.Goal;
import dev.ralph.log.Draft;
import dev.ralph.log.Frame;
import dev.ralph.log.FrameCursor;
import dev.ralph.log.Meta;
import dev.ralph.log.Query;
import dev.ralph.log.TopicFilter;
import dev.ralph.tx.Tx;
import dev.ralph.tx.TxFolder;
import java.io.BufferedReader;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.time.Instant;
import java.time.ZoneOffset;
import java.time.format.DateTimeFormatter;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/**
 * Measures a TX folder with many messages: listing the newest messages in a new process, and the
 * latency of a delivery to an agent.
 */
final class TxSpeed {

  private static final int FEW = 100;
  private static final int SHOWN = 20;
  private static final int BATCH = 500;
  private static final int MOST_CALLS = 200;
  private static final Instant BEGIN = Instant.parse("2026-01-02T00:00:00Z");
  private static final DateTimeFormatter STAMP =
      DateTimeFormatter.ofPattern("MMddHHmmss").withZone(ZoneOffset.UTC);

  private TxSpeed() {}

  /** Measures the command through the launcher, and the library in this process. */
  static void measure(Sizes sizes, Report report, @Nullable Path ralph)
      throws IOException, InterruptedException {
    int many = Math.max(FEW, sizes.frames() / 10);
    TxFolder small = fill("tx-few", FEW);
    TxFolder large = fill("tx-many", many);
    if (ralph == null) {
      Benchmarks.progress("skipped: no launcher");
    } else {
      look(sizes, report, ralph, large, small, many);
    }
    deliver(sizes, report, large, small, many);
  }

  /** Creates a folder of ingested messages to an absent agent. */
  private static TxFolder fill(String name, int count) throws IOException, InterruptedException {
    TxFolder folder = TxFolder.of(Logs.directory().resolve(name).resolve(TxFolder.USUAL));
    Files.createDirectories(folder.messages());
    Files.writeString(folder.file(name(0)), text(0, "core/core"));
    try (Ralph ralph = Ralph.open(store(folder))) {
      try (Tx tx = Tx.of(ralph, folder)) {
        tx.takeUp();
        while (tx.boxes().isEmpty()) {
          TimeUnit.MILLISECONDS.sleep(10);
        }
      }
      Frame first = taken(ralph);
      List<Draft> taken = new ArrayList<>();
      for (int i = 1; i < count; i++) {
        Files.writeString(folder.file(name(i)), text(i, "core/core"));
        Meta meta = first.meta().with("file", name(i)).with("id", "review-" + i);
        taken.add(Draft.of(first.topic(), meta));
        if (taken.size() == BATCH || i == count - 1) {
          ralph.appendUnsynced(taken);
          taken.clear();
        }
      }
    }
    return folder;
  }

  /** Returns the frame that records the ingest of a file. */
  private static Frame taken(Ralph ralph) {
    try (FrameCursor cursor = ralph.log().read(Query.of(TopicFilter.all()))) {
      for (Frame frame = cursor.next(); frame != null; frame = cursor.next()) {
        if ("taken".equals(frame.meta().string("action"))) {
          return frame;
        }
      }
    }
    throw new IllegalStateException("no file was taken up");
  }

  private static Path store(TxFolder folder) {
    return folder.path().resolve("store");
  }

  private static String name(int i) {
    return STAMP.format(time(i)) + "-task-brain--core-review-" + i + ".md";
  }

  private static Instant time(int i) {
    return BEGIN.plusSeconds(i);
  }

  private static String text(int i, String to) {
    return "---\nto: "
        + to
        + "\nfrom: brain/brain\ntype: task\nstatus: start\nrequester: brain/brain\nmsg-id: review-"
        + i
        + "\nheadline: Review part "
        + i
        + " of the shop\ntimestamp: "
        + time(i)
        + "\n---\n\n# Review\n\nPlease look at it, and say what is missing.\n";
  }

  // ---- listing

  private static void look(
      Sizes sizes, Report report, Path ralph, TxFolder large, TxFolder small, int many)
      throws IOException, InterruptedException {
    look(ralph, small); // lets the launcher create its archives
    Measured ours = Measured.of();
    Measured baseline = Measured.of();
    for (int i = 0; i < sizes.starts(); i++) {
      ours = ours.and(look(ralph, large));
      baseline = baseline.and(look(ralph, small));
    }
    report.add(
        "ralph tx msg --limit " + SHOWN + " at " + many + " messages (at " + FEW + ")",
        "ms",
        ours,
        baseline,
        Goal.atMost(1.5));
  }

  /** Runs the command in a shell that reports elapsed and CPU time. */
  private static Measured look(Path ralph, TxFolder folder)
      throws IOException, InterruptedException {
    ProcessBuilder builder =
        new ProcessBuilder(
            "bash",
            "-c",
            "TIMEFORMAT='%3R %3U %3S'; time \"$@\" >/dev/null 2>/dev/null </dev/null",
            "bash",
            ralph.toString(),
            "tx",
            "msg",
            "--limit",
            Integer.toString(SHOWN),
            "--folder",
            folder.toString());
    builder.environment().put("LC_ALL", "C.UTF-8");
    builder.redirectErrorStream(true);
    Process process = builder.start();
    process.getOutputStream().close();
    String line;
    try (BufferedReader output = process.inputReader(StandardCharsets.UTF_8)) {
      line = output.readLine();
    }
    if (process.waitFor() != 0 || line == null) {
      throw new IOException("ralph tx msg failed: " + line);
    }
    String[] seconds = line.split(" ");
    double cpu = Double.parseDouble(seconds[1]) + Double.parseDouble(seconds[2]);
    return Measured.of(Double.parseDouble(seconds[0]) * 1000).withCpu(cpu * 1000);
  }

  // ---- delivery

  private static void deliver(Sizes sizes, Report report, TxFolder large, TxFolder small, int many)
      throws IOException, InterruptedException {
    int calls = Math.min(MOST_CALLS, sizes.calls());
    try (Delivery ofMany = new Delivery(large, many);
        Delivery ofFew = new Delivery(small, FEW)) {
      ofMany.measure(calls / 10 + 1);
      ofFew.measure(calls / 10 + 1);
      Measured ours = Measured.of();
      Measured baseline = Measured.of();
      for (int round = 0; round < sizes.rounds(); round++) {
        ours = ours.and(ofMany.measure(calls));
        baseline = baseline.and(ofFew.measure(calls));
      }
      report.add(
          "TX: a whole file to its sink, at " + many + " messages (at " + FEW + ")",
          "ms",
          ours,
          baseline,
          Goal.atMost(1.5));
    }
  }

  /** An agent that receives messages of a folder. */
  private static final class Delivery implements AutoCloseable {
    private final TxFolder folder;
    private final Ralph ralph;
    private final Tx tx;
    private final LinkedBlockingQueue<Long> given = new LinkedBlockingQueue<>();
    private int next;

    /**
     * Starts the delivery.
     *
     * @param folder the folder
     * @param count the number of existing messages, which are for another agent
     */
    Delivery(TxFolder folder, int count) {
      this.folder = folder;
      this.next = count;
      this.ralph = Ralph.open(store(folder));
      this.tx = Tx.of(ralph, folder);
      tx.deliver("eyes", delivery -> given.add(System.nanoTime()));
    }

    Measured measure(int calls) throws IOException, InterruptedException {
      double[] millis = new double[calls];
      double cpu = Usage.ofThis().cpuMillis();
      for (int i = 0; i < calls; i++) {
        Path aside = folder.path().resolve("aside");
        Files.writeString(aside, text(next, "eyes/eyes"));
        long begin = System.nanoTime();
        Files.move(aside, folder.file(name(next)), StandardCopyOption.ATOMIC_MOVE);
        next++;
        millis[i] = (given.take() - begin) / 1e6;
      }
      return Measured.ofCalls(millis).withCpu((Usage.ofThis().cpuMillis() - cpu) / calls);
    }

    @Override
    public void close() {
      tx.close();
      ralph.close();
    }
  }
}
