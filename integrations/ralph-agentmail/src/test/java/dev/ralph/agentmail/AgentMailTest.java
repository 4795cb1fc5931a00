package dev.ralph.agentmail;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import dev.ralph.log.RalphException;
import dev.ralph.log.RalphException.Code;
import dev.ralph.store.support.GitRepository;
import java.io.File;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.Random;
import org.assertj.core.api.ThrowableAssert.ThrowingCallable;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Tests AgentMail's mailbox files. */
@Timeout(300)
class AgentMailTest {

  @TempDir Path repository;
  private Path box;
  private final List<String> warnings = new ArrayList<>();
  private AgentMail mail;

  @BeforeEach
  void makeARepository() throws IOException {
    Files.createDirectory(repository.resolve(".git"));
    box = repository.resolve(".git/mail/bob.jsonl");
    mail = AgentMail.of(repository, warnings::add);
  }

  private Optional<AgentMessage> receive() {
    return mail.receive("bob", message -> {});
  }

  private String receivedText() {
    return receive().map(AgentMessage::text).orElse("nothing");
  }

  private String content() throws IOException {
    return Files.readString(box);
  }

  private void given(String... lines) throws IOException {
    Files.createDirectories(box.getParent());
    Files.writeString(box, String.join("\n", lines));
  }

  private static String line(String id, String text, boolean read) {
    return AgentMessageLines.line(id, text, read);
  }

  private static void refuses(Code code, String explanation, ThrowingCallable call) {
    assertThatThrownBy(call)
        .isInstanceOfSatisfying(RalphException.class, e -> assertThat(e.code()).isEqualTo(code))
        .hasMessageContaining(explanation);
  }

  // ---- names

  @Test
  void nameOutsideLocale_isRejectedWithRemedy() throws Exception {
    Path said = repository.resolve("said");
    Files.createDirectory(repository.resolve(".git/w\u00fcrfel"));
    String classes = plainClassPath();
    for (String locale : List.of("C", "C.UTF-8")) {
      ProcessBuilder builder =
          new ProcessBuilder(
                  Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                  Umlaut.class.getName(),
                  repository.toString())
              .redirectErrorStream(true)
              .redirectOutput(said.toFile());
      builder.environment().put("LC_ALL", locale);
      builder.environment().put("CLASSPATH", classes);
      int code = builder.start().waitFor();
      assertThat(code).as(Files.readString(said, StandardCharsets.ISO_8859_1)).isZero();

      assertThat(Files.readAllLines(said, StandardCharsets.ISO_8859_1))
          .hasSize(3)
          .allMatch(
              line ->
                  locale.equals("C")
                      ? line.startsWith("UNSUPPORTED") && line.contains("LC_ALL=C.UTF-8")
                      : line.equals("done"));
    }
  }

  /** Returns the class path; folders whose names the locale may not support are copied. */
  private String plainClassPath() throws Exception {
    List<String> entries = new ArrayList<>();
    for (String entry : System.getProperty("java.class.path").split(File.pathSeparator)) {
      if (StandardCharsets.US_ASCII.newEncoder().canEncode(entry)) {
        entries.add(entry);
      } else {
        Path copy = repository.resolve("entry" + entries.size());
        assertThat(new ProcessBuilder("cp", "-r", entry, "" + copy).start().waitFor()).isZero();
        entries.add(copy.toString());
      }
    }
    return String.join(File.pathSeparator, entries);
  }

  /** A program that uses names and folders with an umlaut. */
  static final class Umlaut {

    private Umlaut() {}

    public static void main(String[] args) throws IOException {
      Path repository = Path.of(args[0]);
      AgentMail mail = AgentMail.of(repository);
      tell(() -> mail.send("ann", "j\u00fcrgen", "hello"));
      tell(() -> mail.receive("j\u00fcrgen", message -> {}));
      Path tree = Files.createDirectories(repository.resolve("tree"));
      Files.writeString(tree.resolve(".git"), "gitdir: ../.git/w\u00fcrfel");
      tell(() -> AgentMail.of(tree));
    }

    private static void tell(Runnable deed) {
      try {
        deed.run();
        System.out.println("done");
      } catch (RalphException e) {
        System.out.println(e.code() + " " + e.getMessage());
      }
    }
  }

  // ---- files

  @Test
  void message_isALineInAgentMailsFieldOrder() throws IOException {
    AgentMessage sent = mail.send("ann", "bob", "Is it \"stable\"?\nüñ 😀");

    assertThat(sent.id()).matches("[a-zA-Z0-9]{8}");
    assertThat(content())
        .isEqualTo(
            "{\"id\":\""
                + sent.id()
                + "\",\"from\":\"ann\",\"to\":\"bob\",\"message\":\"Is it \\\"stable\\\"?\\nüñ 😀\","
                + "\"read_flag\":false}\n");
    assertThat(PosixFilePermissions.toString(Files.getPosixFilePermissions(box)))
        .isEqualTo("rw-------");
  }

  @Test
  void receivedMessage_isMarkedInPlace() throws IOException {
    mail.send("ann", "bob", "one");
    String before = content();

    AgentMessage received = receive().orElseThrow();

    assertThat(received.text()).isEqualTo("one");
    assertThat(received.from()).isEqualTo("ann");
    assertThat(received.to()).isEqualTo("bob");
    assertThat(content()).isEqualTo(before.replace("false", "true "));
    assertThat(receive()).isEmpty();
    assertThat(mail.messages("bob")).singleElement().matches(AgentMessage::isRead);
  }

  @Test
  void oldestUnreadMessage_isReceivedFirst() throws IOException {
    given(line("1", "old", true), line("2", "first", false), line("3", "", true), "");
    mail.send("ann", "bob", "second");
    mail.send("ann", "zoe", "of another");

    assertThat(receivedText()).isEqualTo("first");
    assertThat(receivedText()).isEqualTo("second");
    assertThat(receivedText()).isEqualTo("nothing");
    assertThat(warnings).isEmpty();
  }

  /** The lines are those of AgentMail 1.1.1, unchanged. */
  @Test
  void linesOfAgentMail_areReadAndKept() throws IOException {
    given(
        "{\"id\":\"0DoZk1EB\",\"from\":\"ann\",\"to\":\"bob\",\"message\":\"plain\","
            + "\"read_flag\":true,\"created_at\":\"2026-11-22T15:21:31.946071844Z\"}",
        "{\"id\":\"0ye6J6bj\",\"from\":\"ann\",\"to\":\"bob\",\"message\":\"\\u003cb\\u003e \\u0026 "
            + "\\\"quotes\\\" \\\\ tab\\there, line\\nbreak, ü 😀 \\u2028 \\u001b[31m {\\\"id\\\":\\\"x\\\"}\","
            + "\"read_flag\":false,\"created_at\":\"2026-11-22T15:21:31.969465038Z\"}",
        "");
    String before = content();

    assertThat(receivedText())
        .isEqualTo(
            "<b> & \"quotes\" \\ tab\there, line\nbreak, ü 😀 \u2028 \u001b[31m {\"id\":\"x\"}");
    assertThat(content()).isEqualTo(before.replace("false", "true "));
    assertThat(receivedText()).isEqualTo("nothing");
    assertThat(warnings).isEmpty();
  }

  @Test
  void nestedFlag_isIgnored() throws IOException {
    given(
        "{\"extra\":{\"read_flag\":true},\"id\":\"1\",\"from\":\"ann\",\"to\":\"bob\",\"message\":"
            + "\"say \\\"read_flag\\\":true}\",\"read_flag\" : false,\"more\":[{\"read_flag\":true}]}",
        "{\"id\":\"2\",\"from\":\"ann\",\"to\":\"bob\",\"message\":\"m\",\"read_flag\":false,"
            + "\"more\":{\"read_flag\":true}}",
        line("3", "in one line", false) + line("4", "with another", true),
        line("5", "the last", false));
    String before = content();

    assertThat(receivedText()).isEqualTo("say \"read_flag\":true}");
    assertThat(content()).isEqualTo(before.replace(" : false", " : true "));
    assertThat(receivedText()).isEqualTo("m");
    assertThat(warnings).isEmpty();
    assertThat(receivedText()).isEqualTo("the last");
    assertThat(warnings).singleElement().asString().contains("line 3 is not a message");
  }

  @Test
  void lineLength_doesNotAffectParsing() throws IOException {
    Random random = new Random(42);
    List<String> lines = new ArrayList<>();
    List<String> unread = new ArrayList<>();
    for (int i = 0; i < 3_000; i++) {
      String text = "x{".repeat(random.nextInt(random.nextInt(100) == 0 ? 60_000 : 60));
      boolean read = random.nextInt(300) > 0;
      lines.add(line(String.valueOf(i), text, read));
      if (!read) {
        unread.add(String.valueOf(i));
      }
    }
    given(lines.toArray(new String[0]));

    List<String> received = new ArrayList<>();
    for (Optional<AgentMessage> m = receive(); m.isPresent(); m = receive()) {
      received.add(m.get().id());
    }
    assertThat(received).isEqualTo(unread);
    assertThat(warnings).isEmpty();
  }

  // ---- invalid lines

  @Test
  void invalidLines_areReportedAndSkipped() throws IOException {
    String bad = "{\"id\":\"9\",\"from\":\"ann\",\"to\":\"bob\",\"message\":\"m\"";
    given(
        "garbage",
        "",
        bad.replace("to", "too") + "}",
        "  ",
        bad + ",\"read_flag\":0}",
        "[]",
        "{",
        line("1", "good", false));
    String before = content();

    assertThat(receivedText()).isEqualTo("good");
    assertThat(warnings).hasSize(4);
    assertThat(warnings.get(0)).contains("bob.jsonl, line 1 is not a message", "skipped");
    assertThat(warnings.get(1)).contains("line 3", "is missing");
    assertThat(warnings.get(2)).contains("line 5", "is missing");
    assertThat(warnings.get(3)).contains("2 more");
    assertThat(content()).isEqualTo(before.replace("false", "true "));
    assertThat(receivedText()).isEqualTo("nothing");
  }

  @Test
  void lineWithoutFlag_isReadOnceAndKept() throws IOException {
    String bare = "{\"id\":\"%s\",\"from\":\"ann\",\"to\":\"bob\",\"message\":\"%s\"%s}";
    given(
        bare.formatted("1", "say \\\"read_flag\\\":true}", ",\"more\":[1.50]"),
        line("2", "second", false),
        bare.formatted("3", "third", ", \"read_flag\": null"),
        "{\"id\":\"0\",\"from\":\"ann\",\"mess" + bare.formatted("4", "last", ""));

    assertThat(receivedText()).isEqualTo("say \"read_flag\":true}");
    assertThat(content())
        .as("line that old AgentMail releases read as well")
        .startsWith("\n")
        .endsWith(
            "\n"
                + bare.formatted(
                    "1", "say \\\"read_flag\\\":true}", ",\"more\":[1.50],\"read_flag\":true")
                + "\n");
    assertThat(receivedText()).isEqualTo("second");
    assertThat(receivedText()).isEqualTo("third");
    assertThat(receivedText()).isEqualTo("last");
    assertThat(receivedText()).isEqualTo("nothing");
    assertThat(mail.messages("bob"))
        .extracting(AgentMessage::id)
        .containsExactlyInAnyOrder("1", "2", "3", "4");
    assertThat(content()).contains("\n{\"id\":\"0\",\"from\":\"ann\",\"mess\n");
    mail.send("ann", "bob", "next");
    assertThat(receivedText()).isEqualTo("next");
  }

  @Test
  void incompleteLastLine_losesNoLaterMessage() throws IOException {
    given(line("1", "whole", false), "{\"id\":\"2\",\"from\":\"ann\",\"mess");

    assertThat(receivedText()).isEqualTo("whole");
    assertThat(receivedText()).isEqualTo("nothing");
    assertThat(warnings).singleElement().asString().contains("line 2, the last, is incomplete");
    mail.send("ann", "bob", "next");
    assertThat(receivedText()).isEqualTo("next");
    assertThat(content()).contains("\"mess\n{\"id\":");
  }

  @Test
  void messageAfterIncompleteLine_isFound() throws IOException {
    given("{\"id\":\"1\",\"from\":\"ann\",\"mess" + line("2", "behind it", false), "");

    assertThat(receivedText()).isEqualTo("behind it");
    assertThat(warnings).singleElement().asString().contains("the valid rest is used");
    assertThat(receivedText()).isEqualTo("nothing");
  }

  @Test
  void lastLineWithoutBreak_isAMessage() throws IOException {
    given(line("1", "by hand", false));

    mail.send("ann", "bob", "next");

    assertThat(receivedText()).isEqualTo("by hand");
    assertThat(receivedText()).isEqualTo("next");
    assertThat(warnings).isEmpty();
  }

  @Test
  void carriageReturns_areAccepted() throws IOException {
    given(line("1", "old", true) + "\r", line("2", "new", false) + "\r", "");

    assertThat(receivedText()).isEqualTo("new");
    assertThat(receivedText()).isEqualTo("nothing");
    assertThat(warnings).isEmpty();
  }

  // ---- deliveries

  @Test
  void failedDelivery_leavesMessageUnread() throws IOException {
    mail.send("ann", "bob", "one");
    String before = content();

    assertThatThrownBy(
            () ->
                mail.receive(
                    "bob",
                    message -> {
                      throw new IllegalStateException("no paper");
                    }))
        .hasMessage("no paper");
    assertThat(content()).isEqualTo(before);
    assertThat(receivedText()).isEqualTo("one");
  }

  @Test
  void unlockedWriter_isNotOverwritten() throws IOException {
    mail.send("ann", "bob", "one");

    refuses(
        Code.DAMAGED,
        "may be delivered again",
        () ->
            mail.receive(
                "bob",
                message -> {
                  try {
                    Files.writeString(box, "# nothing of that kind\n".repeat(9));
                  } catch (IOException e) {
                    throw new IllegalStateException(e);
                  }
                }));
    assertThat(content()).isEqualTo("# nothing of that kind\n".repeat(9));
  }

  // ---- texts and names

  @ParameterizedTest
  @ValueSource(strings = {"", " ", "\n\t", "a\ud83d", "\udc00b"})
  void blankOrInvalidText_isRejected(String text) {
    refuses(Code.INVALID, "the message", () -> mail.send("ann", "bob", text));
    assertThat(box).doesNotExist();
  }

  @Test
  void textOf16MiB_isSentAndLongerIsRejected() {
    String longest = "long\n".repeat(AgentMail.LONGEST_TEXT / 5);
    mail.send("ann", "bob", longest);
    mail.send("ann", "bob", "short");

    assertThat(receivedText().equals(longest)).isTrue();
    assertThat(receivedText()).isEqualTo("short");
    refuses(Code.INVALID, "longer than", () -> mail.send("ann", "bob", longest + "123456"));
    assertThat(receivedText()).isEqualTo("nothing");
  }

  @ParameterizedTest
  @ValueSource(strings = {"a/b", "/etc/passwd", "..", ".", "../bob", "a\0b"})
  void invalidFileName_isRejected(String name) {
    refuses(Code.UNSUPPORTED, "cannot be a mailbox name", () -> mail.send("ann", name, "text"));
    refuses(Code.UNSUPPORTED, "cannot be a mailbox name", () -> mail.receive(name, message -> {}));
  }

  @Test
  void longName_isRejected() {
    refuses(Code.IO, "too long", () -> mail.send("ann", "b".repeat(300), "text"));
  }

  @Test
  void linkOutOfFolder_isRejected() throws IOException {
    mail.send("ann", "zoe", "text");
    Path outside = Files.writeString(repository.resolve("outside"), line("1", "secret", false));
    Files.createSymbolicLink(box, outside);
    Files.createSymbolicLink(box.resolveSibling("rob.jsonl"), Path.of("zoe.jsonl"));
    String before = Files.readString(outside);

    refuses(
        Code.INVALID, "is a link to a target outside of", () -> mail.send("ann", "bob", "text"));
    refuses(Code.INVALID, "is a link to a target outside of", this::receive);
    assertThat(Files.readString(outside)).isEqualTo(before);
    assertThat(mail.receive("rob", message -> {})).as("a link within the folder").isPresent();
  }

  @Test
  void linkToMissingTarget_isRejected() throws IOException {
    mail.send("ann", "zoe", "text");
    Files.createSymbolicLink(box, Path.of("gone.jsonl"));
    String words = "bob.jsonl is a link to 'gone.jsonl', a missing target";
    refuses(Code.INVALID, words, () -> mail.send("ann", "bob", "text"));
    refuses(Code.INVALID, words, this::receive);

    Files.createDirectory(repository.resolve(".agentmail"));
    Files.createSymbolicLink(repository.resolve(".agentmail/mailboxes"), Path.of("gone"));
    AgentMail linked = AgentMail.of(repository);
    refuses(Code.INVALID, "mailboxes is a link to 'gone'", () -> linked.send("ann", "bob", "text"));
    refuses(
        Code.INVALID, "mailboxes is a link to 'gone'", () -> linked.receive("bob", message -> {}));
  }

  @Test
  void folderLinkOutOfRepository_isRejected(@TempDir Path elsewhere) throws IOException {
    Files.createDirectory(repository.resolve(".agentmail"));
    Files.createSymbolicLink(repository.resolve(".agentmail/mailboxes"), elsewhere);
    AgentMail linked = AgentMail.of(repository);

    refuses(
        Code.INVALID, "is a link to a target outside of", () -> linked.send("ann", "bob", "text"));
    assertThat(elsewhere).isEmptyDirectory();
  }

  @Test
  void folderInsteadOfFile_isRejected() throws IOException {
    Files.createDirectories(box);

    refuses(Code.INVALID, "is a folder or a device", () -> mail.send("ann", "bob", "text"));
    refuses(Code.INVALID, "is a folder or a device", this::receive);
  }

  // ---- location of the mailboxes

  @Test
  void folder_isCreatedWithFirstMessage() throws IOException {
    Path below = Files.createDirectories(repository.resolve("src/main"));

    assertThat(AgentMail.of(below).folder()).isEqualTo(repository.resolve(".git/mail"));
    assertThat(receive()).isEmpty();
    assertThat(repository.resolve(".git/mail")).doesNotExist();
  }

  @Test
  void laterAgentMailFolder_isUsedIfPresent() throws IOException {
    Path later = Files.createDirectories(repository.resolve(".agentmail/mailboxes"));

    AgentMail.of(repository).send("ann", "bob", "text");

    assertThat(later.resolve("bob.jsonl")).exists();
    assertThat(box).doesNotExist();
  }

  @Test
  void workTrees_shareTheMailboxes(@TempDir Path place) throws Exception {
    Path main = place.resolve("main");
    Path tree = place.resolve("tree");
    GitRepository git = new GitRepository(Files.createDirectory(main));
    git.git("commit -q --allow-empty -m x");
    git.git("worktree add -q ../tree");

    AgentMail.of(tree).send("ann", "bob", "from the tree");
    assertThat(AgentMail.of(main).messages("bob")).hasSize(1);

    Files.createDirectories(main.resolve(".agentmail/mailboxes"));
    assertThat(AgentMail.of(tree).folder().toRealPath())
        .isEqualTo(AgentMail.of(main).folder().toRealPath());
    Files.createDirectories(tree.resolve(".agentmail/mailboxes"));
    assertThat(AgentMail.of(tree).folder()).isEqualTo(tree.resolve(".agentmail/mailboxes"));
  }

  @Test
  void submodule_hasItsOwnMailboxes() throws IOException {
    Files.createDirectories(repository.resolve(".git/modules/part"));
    Path part = Files.createDirectory(repository.resolve("part"));
    Files.writeString(part.resolve(".git"), "gitdir: ../.git/modules/part\n");

    assertThat(AgentMail.of(part).folder()).isEqualTo(repository.resolve(".git/modules/part/mail"));
  }

  @Test
  void missingRepository_isReported() throws IOException {
    Path tree = Files.createDirectory(repository.resolve("tree"));
    Files.writeString(tree.resolve(".git"), "gitdir: /nowhere/at/all\n");

    refuses(Code.NOT_FOUND, "git worktree repair", () -> AgentMail.of(tree));
    Files.writeString(tree.resolve(".git"), "nothing");
    refuses(Code.INVALID, "names no git folder", () -> AgentMail.of(tree));
    refuses(Code.NOT_FOUND, "git init", () -> AgentMail.of(Path.of("/")));
  }

  // ---- disks

  @Test
  void fullDisk_rejectsMessageAndDeliversOthers(@TempDir Path place) throws Exception {
    Path disk = Files.createDirectory(place.resolve("disk"));
    assumeTrue(run("mount -t tmpfs -o size=64k tmpfs " + disk) == 0, "no disk can be mounted here");
    try {
      Files.createDirectory(disk.resolve(".git"));
      AgentMail full = AgentMail.of(disk);
      full.send("ann", "bob", "early");
      Path file = disk.resolve(".git/mail/bob.jsonl");
      String before = Files.readString(file);

      refuses(Code.FULL, "Make room", () -> full.send("ann", "bob", "x".repeat(100_000)));

      assertThat(Files.readString(file)).isEqualTo(before);
      run("head -c 70000 /dev/zero 2>/dev/null >" + disk.resolve("filler"));
      assertThat(full.receive("bob", message -> {}).orElseThrow().text()).isEqualTo("early");
      assertThat(full.receive("bob", message -> {})).isEmpty();
    } finally {
      unmount(disk);
    }
  }

  @Test
  void readOnlyDisk_isReported(@TempDir Path place) throws Exception {
    Path disk = Files.createDirectory(place.resolve("disk"));
    assumeTrue(run("mount -t tmpfs -o size=64k tmpfs " + disk) == 0, "no disk can be mounted here");
    try {
      Files.createDirectory(disk.resolve(".git"));
      AgentMail frozen = AgentMail.of(disk);
      frozen.send("ann", "bob", "text");
      assertThat(run("mount -o remount,ro " + disk)).isZero();

      refuses(Code.IO, "Read-only file system", () -> frozen.send("ann", "bob", "more"));
      refuses(Code.IO, "Read-only file system", () -> frozen.send("ann", "zoe", "more"));
      refuses(Code.IO, "Read-only file system", () -> frozen.receive("bob", message -> {}));
    } finally {
      unmount(disk);
    }
  }

  /** Detaches at once, because the lock's holder may take a moment to exit. */
  private static void unmount(Path disk) throws Exception {
    assertThat(run("umount --lazy " + disk)).isZero();
  }

  private static int run(String script) throws Exception {
    return new ProcessBuilder("sh", "-c", script).inheritIO().start().waitFor();
  }
}
