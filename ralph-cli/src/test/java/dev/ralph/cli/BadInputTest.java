package dev.ralph.cli;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.DynamicTest.dynamicTest;

import dev.ralph.cli.Terminal.Result;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.DynamicTest;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestFactory;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/**
 * Passes every kind of unusual text to every command. The command must succeed or report the
 * problem in one line, and stored data must stay unchanged.
 */
class BadInputTest {

  private static final Map<String, String> TEXTS = new LinkedHashMap<>();

  static {
    TEXTS.put("empty", "");
    TEXTS.put("blank", " \t\n");
    TEXTS.put("huge", "x".repeat(1 << 20));
    TEXTS.put("control characters", "\u0000\u0001\u001b[31m\u007f\u009b");
    TEXTS.put("an unpaired surrogate", "a\ud800b");
    TEXTS.put("a slash", "a/b");
    TEXTS.put("dots", "../../etc/passwd");
    TEXTS.put("a line break", "a\nb");
    TEXTS.put("quotes", "a'b\"c");
    TEXTS.put("shell", "$(touch pwned); `touch pwned` | touch pwned & *");
    TEXTS.put("a number too large", "t99999999999999999999");
    TEXTS.put("an unknown number", "t99");
    TEXTS.put("an unknown id", "03zzzzzzzzzzzzzzzzzzzzzzz");
    TEXTS.put("a placeholder", "{{tasks}}");
  }

  /**
   * The calls of all commands with a text argument. The test replaces the placeholder {@code @}.
   */
  private static final List<String> CALLS =
      List.of(
          "message -n @ text",
          "message -n auth @",
          "message -n auth --by @ text",
          "message -n auth --key @ text",
          "status -n @",
          "watch @ -n auth",
          "status -n auth --at @",
          "sessions --store @",
          "tasks -n @",
          "tasks -n auth --status @",
          "tasks -n auth --at @",
          "tasks -n auth --store @",
          "task add -n @ text",
          "task add -n auth @",
          "task add -n auth --depends @ text",
          "task add -n auth --priority @ text",
          "task add -n auth --iteration @ text",
          "task show -n auth @",
          "task status -n auth @ completed",
          "task status -n auth t1 @",
          "task status -n auth t1 blocked --reason @",
          "task claim -n auth @ --owner me",
          "task claim -n auth t1 --owner @",
          "task claim -n auth t1 --owner me --lease @",
          "task renew -n auth t1 --token @",
          "task release -n auth t1 --token @",
          "task release -n auth @",
          "task done -n auth @",
          "task done -n auth t1 --token @",
          "task block -n auth @",
          "task block -n auth t1 @",
          "task depend -n auth @ t1",
          "task depend -n auth t1 @",
          "notes -n @",
          "notes -n auth --type @",
          "note add -n auth --type @ text",
          "note add -n auth --type tip @",
          "inbox -n @",
          "inbox read -n auth @",
          "iterations -n @",
          "iterations -n auth --transcript @",
          "log -n @",
          "log --topic @",
          "log --limit @",
          "log --at @",
          "export --topic @",
          "export -n @",
          "export @",
          "import @",
          "import --cas @ none",
          "import --missing-content @ none",
          "complete -n @",
          "pause -n @",
          "resume -n @",
          "stop -n @",
          "stop -n auth --reason @",
          "verify --store @",
          "doctor --store @",
          "build -n @ --dry-run --prompt x",
          "build -n auth --dry-run --prompt @",
          "build -n auth --dry-run --agent @ --prompt x",
          "build -n auth --dry-run --agent cat --gate @ --prompt x",
          "build -n auth --dry-run --spec @",
          "build -n auth --dry-run --template @",
          "build -n auth --dry-run --iterations @ --prompt x",
          "build -n auth --dry-run --timeout @ --prompt x",
          "build -n auth --dry-run --port @ --prompt x",
          "@",
          "task @",
          "tasks @",
          "tasks -n auth @");

  @TempDir Path folder;
  private Terminal terminal;

  @BeforeEach
  void beginASession() {
    terminal = new Terminal(folder);
    terminal.call("task", "add", "-n", "auth", "--create", "one");
    terminal.call("message", "-n", "auth", "one");
  }

  @TestFactory
  List<DynamicTest> everyCommand_survivesEveryText() {
    List<DynamicTest> tests = new ArrayList<>();
    for (String call : CALLS) {
      Path own = folder.resolve("own" + tests.size());
      tests.add(dynamicTest(call, () -> survivesEveryText(call, own)));
    }
    return tests;
  }

  private static void survivesEveryText(String call, Path folder) throws IOException {
    Terminal terminal = new Terminal(Files.createDirectory(folder));
    terminal.call("task", "add", "-n", "auth", "--create", "keep me");
    terminal.call("message", "-n", "auth", "keep me too");

    for (Map.Entry<String, String> text : TEXTS.entrySet()) {
      List<String> words = new ArrayList<>();
      for (String word : call.split(" ")) {
        words.add(word.equals("@") ? text.getValue() : word);
      }
      Result result = terminal.call(words.toArray(new String[0]));

      assertThat(result.code()).as(text.getKey() + ": " + result.err()).isBetween(0, 2);
      assertThat(result.err()).doesNotContain("internal error").doesNotContain("\tat ");
      if (result.code() == 0) {
        assertThat(result.err())
            .matches(
                "(ralph: the template has no \\{\\{tools}}.*\n)?"
                    + "(ralph: '\\w+' is a new session in .*\n)?");
      } else if (!call.startsWith("doctor")) {
        assertThat(result.err())
            .as(text.getKey())
            .startsWith("ralph: ")
            .hasLineCount(1)
            .hasSizeLessThan(2_000)
            .doesNotContain("\u001b");
      }
    }

    assertThat(terminal.call("tasks", "-n", "auth").out()).startsWith("t1 [").contains("keep me");
    assertThat(terminal.call("inbox", "--all", "-n", "auth").out()).contains("keep me too");
    assertThat(terminal.call("verify").code()).isZero();
    assertThat(folder.resolve("pwned")).doesNotExist();
  }

  @Test
  @Timeout(value = 3, unit = TimeUnit.MINUTES)
  void waitingForStandardInput_isReported() {
    ByteArrayOutputStream err = new ByteArrayOutputStream();
    InputStream silent =
        new InputStream() {
          @Override
          public int read() throws IOException {
            while (!err.toString(StandardCharsets.UTF_8).contains("reading standard input")) {
              Thread.onSpinWait();
            }
            return -1;
          }

          @Override
          public int read(byte[] bytes, int from, int length) throws IOException {
            return read();
          }
        };

    int code =
        Cli.run(
            List.of("message", "-n", "a", "--store", folder.resolve("other").toString()),
            Map.of(),
            silent,
            OutputStream.nullOutputStream(),
            err);

    assertThat(code).isEqualTo(1);
    assertThat(err.toString(StandardCharsets.UTF_8)).hasLineCount(2);
  }

  @Test
  void outOfThreads_isReportedOnSingleLine() {
    OutputStream out =
        new OutputStream() {
          @Override
          public void write(int ignored) {
            throw new OutOfMemoryError("unable to create native thread");
          }
        };
    ByteArrayOutputStream err = new ByteArrayOutputStream();

    int code = Cli.run(List.of("--version"), Map.of(), InputStream.nullInputStream(), out, err);

    assertThat(code).isEqualTo(1);
    assertThat(err.toString(StandardCharsets.UTF_8))
        .startsWith("ralph: out of memory or threads: unable to create native")
        .contains("ulimit -u")
        .hasLineCount(1);
  }

  @Test
  void pipedTextOutsideUtf8_isRefused() {
    byte[] broken = {'a', (byte) 0xff, 'b'};

    Result result = terminal.pipe(broken, "message", "-n", "auth", "-");

    assertThat(result.code()).isEqualTo(2);
    assertThat(result.err()).contains("not valid UTF-8").hasLineCount(1);
    assertThat(terminal.call("inbox", "-n", "auth").out()).hasLineCount(1);
  }

  @Test
  void emptyPipe_isNotSentAsMessage() {
    assertThat(terminal.pipe("", "message", "-n", "auth").code()).isEqualTo(1);
    assertThat(terminal.pipe("\n", "message", "-n", "auth", "-").code()).isEqualTo(1);
  }
}
