package dev.ralph.tx;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.fail;

import dev.ralph.log.RalphException;
import java.lang.management.ManagementFactory;
import java.lang.management.ThreadMXBean;
import java.time.Duration;
import java.time.ZoneOffset;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import org.junit.jupiter.api.Test;

/**
 * The reader accepts files of any content with warnings, or rejects them with one line that names
 * the file. The seeds are fixed, so failures are reproducible; a failure names its round or the
 * repeated text.
 */
class TxFuzzTest {

  /** Set {@code -Dralph.tx.times=5} for a long run after a change of the reader. */
  private static final int ROUNDS = 20_000 * Integer.getInteger("ralph.tx.times", 1);

  /** The maximum CPU time for one file. */
  private static final Duration LONGEST = Duration.ofSeconds(2);

  private static final int TRIES = 3;

  private static final ThreadMXBean THREADS = ManagementFactory.getThreadMXBean();

  private static final String[] EXAMPLES = {"ask", "ask-response", "task", "prompt", "template"};

  private static final String[] PIECES = {
    ":",
    ": ",
    "-",
    "- ",
    "---",
    "\n",
    "\r\n",
    "\n---\n",
    "\n  ",
    "\t",
    " #",
    "#",
    "'",
    "\"",
    "[",
    "]",
    "{",
    "}",
    ",",
    "&a ",
    "*a",
    "!!binary ",
    "!x ",
    "%YAML 1.9\n",
    "|",
    "|+2\n",
    ">-\n",
    "? ",
    "<<: *a",
    "\\",
    "\\u0000",
    "\u0000",
    "\u0007",
    "\u0085",
    "\u2028",
    "\ufeff",
    "\ufffe",
    "\ud800",
    "\ud83d\ude00",
    "é",
    "null",
    "~",
    "true",
    "1e999",
    "0x1",
    "to",
    "msg-id",
    "deadline",
    "2025-10-31",
    "T99:99",
    "+99:99",
    "[[[[[[[[[[",
    "{a: {a: {a: ",
    "- - - - - - ",
    "/",
    "--",
    ">",
    "-orphan",
    ".md",
    "task-complete-",
    "9".repeat(300),
    "x".repeat(2000)
  };

  @Test
  void mutatedFrontMatter_isReadOrFailsOnSingleLine() {
    TxReader reader = new TxReader(ZoneOffset.UTC);
    Random random = new Random(19);
    String[] examples = new String[EXAMPLES.length];
    for (int i = 0; i < examples.length; i++) {
      examples[i] = new String(SpecificationTest.bytes(EXAMPLES[i] + ".md"), UTF_8);
    }
    int read = 0;
    for (int round = 0; round < ROUNDS; round++) {
      String example = examples[random.nextInt(examples.length)];
      int end = example.indexOf("\n---", 3) + 4;
      byte[] bytes = bytes(mutated(example.substring(0, end), random), random);
      read += attempt(round, () -> use(reader.read("1030100000-task-a--b-c.md", bytes)));
    }
    assertThat(read).as("readable files").isBetween(ROUNDS / 5, ROUNDS * 19 / 20);
  }

  @Test
  void repeatedPieces_areReadOrFailOnSingleLine() {
    TxReader reader = new TxReader(ZoneOffset.UTC);
    String[] frames = {"tags: %s", "headline: a: b%sy", "%s: x", "tags:\n%s", "%s"};
    for (String piece : PIECES) {
      String many = piece.repeat(60_000 / piece.length());
      for (String frame : frames) {
        byte[] bytes = ("---\n" + frame.replace("%s", many) + "\n---\n").getBytes(UTF_8);
        String what = frame + " with " + quoted(piece);
        attempt(what, () -> use(reader.read("1030100000-task-a--b-c.md", bytes)));
      }
    }
  }

  @Test
  void mutatedNames_areRead() {
    TxReader reader = new TxReader(ZoneOffset.UTC);
    Random random = new Random(20);
    byte[] bytes = "---\nstatus: start\n---\n".getBytes(UTF_8);
    int complete = 0;
    for (int round = 0; round < ROUNDS; round++) {
      String name = mutated("1102091530-task-complete-brain--core-abc123-orphan.md", random);
      TxFile[] file = new TxFile[1];
      int read =
          attempt(
              round,
              () -> {
                file[0] = reader.read(name, bytes);
                use(file[0]);
              });
      assertThat(read).as("round %d: every name is valid", round).isEqualTo(1);
      complete += file[0].message().to() == null ? 0 : 1;
    }
    assertThat(complete).as("names with a recipient").isBetween(ROUNDS / 20, ROUNDS / 2);
  }

  @Test
  void mutatedRouting_isReadOrFailsOnSingleLine() {
    Random random = new Random(21);
    String example = new String(SpecificationTest.bytes("tdd-cycle.json"), UTF_8);
    TxMessage message =
        TxMessage.of(TxType.TASK).from("tdd-cycle/red-phase").to("core").status("complete");
    int read = 0;
    for (int round = 0; round < ROUNDS; round++) {
      byte[] bytes = bytes(mutated(example, random), random);
      read +=
          attempt(
              round,
              () -> {
                TxRouting routing = TxRouting.read("tdd-cycle.json", bytes);
                routing.warnings().forEach(warning -> assertOneLine(warning.toString()));
                String refusal = routing.refusal(message);
                if (refusal != null) {
                  assertOneLine(refusal);
                }
              });
    }
    assertThat(read).as("readable files").isBetween(ROUNDS / 50, ROUNDS * 19 / 20);
  }

  private static void use(TxFile file) {
    file.warnings().forEach(warning -> assertOneLine(warning.toString()));
    if (file.warnings().size() > 60 || file.id().isBlank()) {
      fail("too many warnings, or no id: " + file.warnings());
    }
  }

  private static int attempt(int round, Runnable reading) {
    return attempt("round " + round, reading);
  }

  /** Returns 1 if the file was read, or 0 if it was rejected correctly. */
  private static int attempt(String what, Runnable reading) {
    List<Duration> taken = new ArrayList<>();
    int read;
    do {
      long begun = THREADS.getCurrentThreadCpuTime();
      read = read(what, reading);
      taken.add(Duration.ofNanos(THREADS.getCurrentThreadCpuTime() - begun));
      // One slow attempt may be due to the machine; an expensive file is always slow.
    } while (last(taken).compareTo(LONGEST) > 0 && taken.size() < TRIES);
    assertThat(last(taken)).as("%s took %s of CPU time", what, taken).isLessThan(LONGEST);
    return read;
  }

  private static Duration last(List<Duration> taken) {
    return taken.get(taken.size() - 1);
  }

  private static int read(String what, Runnable reading) {
    try {
      reading.run();
      return 1;
    } catch (RalphException e) {
      if (e.code() != RalphException.Code.INVALID) {
        throw new AssertionError(what, e);
      }
      assertOneLine(e.getMessage());
      assertThat(e.getMessage()).as(what).matches("(?s)[^ ]*\\.(md|json):.*");
      return 0;
    } catch (RuntimeException | StackOverflowError e) {
      return fail(what, e);
    }
  }

  private static String quoted(String piece) {
    return RalphException.quote(piece.substring(0, Math.min(20, piece.length())));
  }

  private static void assertOneLine(String text) {
    boolean good =
        !text.isEmpty()
            && text.length() < 20_000
            && text.indexOf('\n') < 0
            && !text.contains("dev.ralph.")
            && !text.contains("org.snakeyaml");
    if (!good) {
      fail("not a readable line: " + text);
    }
  }

  /** Deletes, repeats and inserts text a few times. */
  private static String mutated(String text, Random random) {
    StringBuilder mutated = new StringBuilder(text);
    for (int i = random.nextInt(4); i >= 0; i--) {
      int at = random.nextInt(mutated.length() + 1);
      int end = Math.min(mutated.length(), at + random.nextInt(12));
      switch (random.nextInt(5)) {
        case 0 -> mutated.delete(at, end);
        case 1 -> mutated.insert(at, mutated.substring(at, end));
        case 2 -> mutated.insert(at, mutated.substring(at, end).repeat(random.nextInt(50)));
        default -> mutated.insert(at, PIECES[random.nextInt(PIECES.length)]);
      }
    }
    return mutated.toString();
  }

  /** Returns a text in UTF-8, sometimes with an invalid byte. */
  private static byte[] bytes(String text, Random random) {
    byte[] bytes = text.getBytes(UTF_8);
    if (bytes.length > 0 && random.nextInt(10) == 0) {
      bytes[random.nextInt(bytes.length)] = (byte) random.nextInt(256);
    }
    return bytes;
  }
}
