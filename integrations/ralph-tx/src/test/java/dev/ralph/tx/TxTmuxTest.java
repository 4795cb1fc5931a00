package dev.ralph.tx;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.ralph.Ralph;
import dev.ralph.mail.TmuxServer;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.time.ZoneOffset;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Random;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.CyclicBarrier;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Tests messages that are typed into the terminals of agents, in a tmux server for this test. */
@Timeout(300)
class TxTmuxTest {

  /**
   * Logs each typed line, and answers the message of the file. {@code write} takes TYPE STATUS FROM
   * TO ID.
   */
  private static final String AGENT =
      """
      #!/bin/sh
      # Notes each line that is typed in, and answers as its name says.
      name=$1; msgs=$2; got=$3
      if [ "$name" = silent ]; then stty -echo; else printf 'ready\\n'; fi
      write() {
        { printf -- '---\\nto: %s\\nfrom: %s\\ntype: %s\\nstatus: %s\\nmsg-id: %s\\n' "$4" "$3" "$1" "$2" "$5"
          printf 'in-reply-to: %s\\nheadline: x\\nrequester: core\\n---\\n\\nten\\n' "$id"; } >"$msgs/.new-$5"
        mv "$msgs/.new-$5" "$msgs/1102083000-$1-x--y-$5.md"
      }
      while read -r line; do
        printf '%s\\n' "$line" >>"$got"
        file=${line#@}
        id=$(sed -n 's/^msg-id: //p' "$file" | head -n 1)
        case $name in
          brain)
            case $(sed -n 's/^type: //p' "$file") in
              ask) write ask-response complete brain core "r-$id" ;;
              task) write task-complete complete brain core "done-$id" ;;
            esac ;;
          red) count=$((count + 1)); write task complete tdd-cycle-a1/red-phase tdd-cycle-a1/green-phase "red-$count" ;;
          green)
            count=$((count + 1))
            if [ $count = 1 ]; then write task failed tdd-cycle-a1/green-phase tdd-cycle-a1/red-phase green-1
            else write task complete tdd-cycle-a1/green-phase tdd-cycle-a1/refactor-phase "green-$count"; fi ;;
          refactor) write task-complete complete tdd-cycle-a1/refactor-phase core all-done ;;
        esac
      done
      """;

  /**
   * A client that shows a file list after an at sign. The list consumes Enter until a blank closes
   * it. The client {@code stuck} submits no input. The client {@code replacing} replaces the text
   * by an item of the list, and the client {@code late} does so two seconds after Enter.
   */
  private static final String CLIENT =
      """
      #!/bin/bash
      name=$1; got=$3
      stty -icanon -echo -icrnl
      text=
      printf '\\033[2J\\033[H> '
      while IFS= read -rsn1 -d '' key; do
        if [ "$key" = $'\\025' ]; then
          text=
          printf '\\033[2J\\033[H> '
          continue
        fi
        if [ "$key" != $'\\r' ] && [ "$key" != $'\\n' ]; then
          text=$text$key
          printf '%s' "$key"
          continue
        fi
        case $text in
          @*' ')
            [ "$name" = stuck ] && continue
            printf '%s\\n' "${text% }" >>"$got"
            text=
            printf '\\033[2J\\033[H> ' ;;
          @*)
            case $name in
              replacing) ;;
              late) sleep 2 ;;
              *) continue ;;
            esac
            text='@explore '
            printf '\\033[2J\\033[H> %s' "$text" ;;
        esac
      done
      """;

  /** The start of a full-screen client, which discards the input before its first drawing. */
  private static final String STARTING =
      """
      printf '\\\\033[?1049h'
      sleep 4
      while read -rsn1 -d '' -t 0.1; do :; done
      text=
      """;

  /** The number of kills; {@code .ci/run} requests more kills than other builds. */
  private static final int KILLS = 6 * Integer.getInteger("ralph.tx.times", 1);

  private static final int EACH = 3;

  /** The session option with the id of the typing process. */
  private static final String TYPING = "@ralph-typing";

  @TempDir Path project;
  private Path home;
  private TmuxServer server;
  private Path socket;
  private Ralph ralph;
  private Tx tx;
  private final BlockingQueue<TxEvent> events = new LinkedBlockingQueue<>();

  @BeforeEach
  void open() throws Exception {
    home = Files.createTempDirectory("tx");
    server = TmuxServer.in(home, "first");
    socket = Path.of(server.tmux("display-message", "-p", "#{socket_path}"));
    ralph = Ralph.open(project.resolve(".ralph/store"));
    Path folder = project.resolve(TxFolder.USUAL);
    Files.createDirectories(folder.resolve("msgs"));
    tx = Tx.of(ralph, TxFolder.of(folder), events::add);
    Files.writeString(project.resolve("agent.sh"), AGENT);
  }

  @AfterEach
  void close() throws Exception {
    tx.close();
    ralph.close();
    server.end();
    try (Stream<Path> files = Files.walk(home)) {
      files.sorted(Comparator.reverseOrder()).forEach(file -> file.toFile().delete());
    }
  }

  /** Starts an agent in the session that TX would use, and delivers messages to it. */
  private void agent(String address, String name) throws Exception {
    tx.deliver(address, session(address, name));
  }

  /** Starts an agent in the session that TX would use. */
  private TxSink session(String address, String name) throws Exception {
    return session(address, name, "sh", "agent.sh");
  }

  private TxSink session(String address, String name, String shell, String script)
      throws Exception {
    TxSink sink = TxSink.tmux(TxAddress.parse(address), socket);
    server.tmux(
        "new-session",
        "-d",
        "-s",
        TxAddress.parse(address).session(),
        "-x",
        "60",
        "-y",
        "20",
        "-e",
        "LC_ALL=C.UTF-8",
        shell,
        project.resolve(script).toString(),
        name,
        tx.folder().messages().toString(),
        got(name).toString());
    return sink;
  }

  private Path got(String name) {
    return project.resolve("got-" + name);
  }

  private List<String> lines(String name, int count) throws IOException {
    long end = System.nanoTime() + TimeUnit.SECONDS.toNanos(100);
    while (true) {
      List<String> lines = Files.exists(got(name)) ? Files.readAllLines(got(name)) : List.of();
      if (lines.size() >= count || System.nanoTime() > end) {
        assertThat(lines).as("lines of " + name + "; " + events).hasSizeGreaterThanOrEqualTo(count);
        return lines;
      }
      LockSupport.parkNanos(10_000_000);
    }
  }

  private static TxMessage message(TxType type, String id) {
    return TxMessage.of(type).from("core").to("brain").id(id).headline("How much?");
  }

  @Test
  void typedTask_returnsCompletion() throws Exception {
    agent("core", "core");
    agent("brain", "brain");
    Path task = tx.send(message(TxType.TASK, "t1")).get(0);

    assertThat(lines("brain", 1)).containsExactly("@" + task);
    assertThat(lines("core", 1))
        .containsExactly("@" + tx.folder().file("1102083000-task-complete-x--y-done-t1.md"));
  }

  @Test
  void ask_returnsAnswerInsteadOfTyping() throws Exception {
    agent("core", "core");
    agent("brain", "brain");
    TxFile answer = tx.ask(message(TxType.ASK, "q1"), Duration.ofMinutes(3)).orElseThrow();
    assertThat(answer.id()).isEqualTo("r-q1");
    assertThat(answer.message().body()).isEqualTo("ten");

    tx.send(message(TxType.TASK, "t1"));
    assertThat(lines("core", 1)).allMatch(line -> line.endsWith("-done-t1.md"));
  }

  @Test
  void specificationCycle_repeatsAfterFailure() throws Exception {
    Path routing = Files.createDirectories(tx.folder().routing());
    Files.write(routing.resolve("tdd-cycle.json"), SpecificationTest.bytes("tdd-cycle.json"));
    agent("core", "core");
    agent("tdd-cycle-a1/red-phase", "red");
    agent("tdd-cycle-a1/green-phase", "green");
    agent("tdd-cycle-a1/refactor-phase", "refactor");

    tx.send(message(TxType.TASK, "begin").to("tdd-cycle-a1/red-phase"));

    assertThat(lines("core", 1)).allMatch(line -> line.endsWith("-all-done.md"));
    assertThat(lines("red", 2)).last().asString().endsWith("-green-1.md");
    assertThat(lines("green", 2)).last().asString().endsWith("-red-2.md");
    assertThat(lines("refactor", 1)).last().asString().endsWith("-green-2.md");
    assertThat(events).noneMatch(event -> event.kind() == TxEvent.Kind.REFUSED);
  }

  @Test
  void messageTypedBeforeKill_isNotTypedTwice() throws Exception {
    agent("brain", "core");
    Path first = tx.send(message(TxType.TASK, "t1")).get(0);
    lines("core", 1);
    TxSink sink = TxSink.tmux(TxAddress.parse("brain"), socket);
    TxSink.Delivery again =
        new TxSink.Delivery(
            TxAddress.parse("brain"),
            first,
            tx.folder().read(first.getFileName().toString()),
            true);
    sink.deliver(again);

    server.tmux("set-buffer", "-b", "x", "@" + first + "x.md");
    server.tmux("paste-buffer", "-d", "-b", "x", "-t", "=brain:");
    sink.deliver(
        new TxSink.Delivery(again.to(), Path.of(first + "x.md"), again.file(), true)); // only Enter
    assertThat(lines("core", 2)).containsExactly("@" + first, "@" + first + "x.md");
  }

  @ParameterizedTest
  @ValueSource(strings = {"client", "replacing", "late"})
  void openFileList_isClosedBeforeEnter(String name) throws Exception {
    Files.writeString(project.resolve("client.sh"), CLIENT);
    tx.deliver("brain", session("brain", name, "bash", "client.sh"));
    List<String> all = new ArrayList<>();
    for (String id : List.of("t1", "t2", "t3")) {
      all.add("@" + tx.send(message(TxType.TASK, id)).get(0));
    }

    assertThat(lines(name, 3)).containsExactlyElementsOf(all);
    assertThat(events).noneMatch(event -> event.kind() == TxEvent.Kind.FAILED);
  }

  @Test
  void startingClient_receivesMessage() throws Exception {
    Files.writeString(
        project.resolve("client.sh"), CLIENT.replaceFirst("(?m)^text=$", STARTING.strip()));
    tx.deliver("brain", session("brain", "client", "bash", "client.sh"));
    Path file = tx.send(message(TxType.TASK, "t1")).get(0);

    assertThat(lines("client", 1)).containsExactly("@" + file);
    assertThat(events).noneMatch(event -> event.kind() == TxEvent.Kind.FAILED);
  }

  @Test
  void textLeftInTheInputLine_isNotDelivered() throws Exception {
    Files.writeString(project.resolve("client.sh"), CLIENT);
    TxSink sink = session("brain", "stuck", "bash", "client.sh");
    Path file = tx.send(message(TxType.TASK, "t1")).get(0);
    TxAddress brain = TxAddress.parse("brain");
    for (boolean isRepeat : new boolean[] {false, true}) {
      TxSink.Delivery delivery =
          new TxSink.Delivery(brain, file, tx.folder().read(name(file)), isRepeat);

      assertThatThrownBy(() -> sink.deliver(delivery))
          .hasMessageContaining("still in the input line");
    }
  }

  @Test
  void concurrentTypists_takeTurns() throws Exception {
    agent("brain", "core");
    TxAddress brain = TxAddress.parse("brain");
    Path text = tx.folder().messages().resolve(".text");
    Files.writeString(text, "---\nto: brain\nfrom: core\nmsg-id: m\n---\n\nx\n");
    TxFile file = new TxReader(ZoneOffset.UTC).read(text);
    int rounds = 4;
    CyclicBarrier together = new CyclicBarrier(3);
    List<CompletableFuture<Void>> typists = new ArrayList<>();
    List<String> all = new ArrayList<>();
    for (int i = 0; i < together.getParties(); i++) {
      List<Path> paths = new ArrayList<>();
      for (int round = 0; round < rounds; round++) {
        paths.add(Path.of("/m" + i + "-" + round));
        all.add("@" + paths.get(round));
      }
      TxSink sink = TxSink.tmux(brain, socket);
      typists.add(
          CompletableFuture.runAsync(
              () -> {
                try {
                  for (Path path : paths) {
                    together.await();
                    sink.deliver(new TxSink.Delivery(brain, path, file, false));
                  }
                } catch (Exception e) {
                  throw new CompletionException(e);
                }
              },
              task -> new Thread(task).start()));
    }
    for (CompletableFuture<Void> typist : typists) {
      typist.get();
    }
    assertThat(lines("core", all.size())).containsExactlyInAnyOrderElementsOf(all);
  }

  @Test
  void markOfKilledTypist_delaysNoDelivery() throws Exception {
    agent("brain", "core");
    server.tmux("set-option", "-t", "=brain:", TYPING, "1700000000000-1-1");
    Path file = tx.send(message(TxType.TASK, "t1")).get(0);
    assertThat(lines("core", 1)).containsExactly("@" + file);
    assertThat(events).noneMatch(event -> event.kind() == TxEvent.Kind.FAILED);
  }

  /** The terminal of {@code core} shows typed text; the terminal of {@code silent} does not. */
  @ParameterizedTest
  @ValueSource(strings = {"core", "silent"})
  void pasteOfKilledTypist_isEnteredFirst(String name) throws Exception {
    TxSink sink = session("brain", name);
    TxAddress brain = TxAddress.parse("brain");
    List<String> all = new ArrayList<>();
    for (int round = 0; round < 3; round++) {
      Process typist = TypingProcess.start(project, socket, "brain");
      try {
        Path file = tx.folder().write(message(TxType.UPDATE, "m" + round));
        all.add("@" + file);
        awaitTyping(name, all.size());
        typist.destroyForcibly().waitFor();
        Path next = Path.of(file + "-next.md");
        all.add("@" + next);
        sink.deliver(new TxSink.Delivery(brain, next, tx.folder().read(name(file)), false));
        assertThat(lines(name, all.size())).containsExactlyElementsOf(all);
        if (name.equals("silent")) {
          return; // an invisible paste is typed again
        }
      } finally {
        typist.destroyForcibly().waitFor();
      }
    }
  }

  /** Waits until a process types, or has typed the line with a number. */
  private void awaitTyping(String name, int number) throws Exception {
    String typing = "";
    while (!typing.matches("\\d.*")
        && !(Files.exists(got(name)) && Files.readAllLines(got(name)).size() == number)) {
      typing = server.tmux("show-options", "-q", "-v", "-t", "=brain:", TYPING);
    }
  }

  private static String name(Path file) {
    return String.valueOf(file.getFileName());
  }

  @Test
  @Tag("slow")
  void killedTypists_deliverEachMessageOnceInOrder() throws Exception {
    session("brain", "core");
    List<String> all = killTypists(1);
    assertThat(lines("core", all.size())).containsExactlyElementsOf(all);
  }

  @Test
  void messageOfKilledTypist_isDeliveredByNext() throws Exception {
    session("brain", "core");
    List<String> all = killTypists(2);
    assertThat(lines("core", all.size())).containsExactlyInAnyOrderElementsOf(all);
  }

  /**
   * Kills typing processes repeatedly, at a random moment or right after a paste. The last process
   * then continues to the end.
   *
   * @param count the number of concurrent processes
   * @return the lines to type
   */
  private List<String> killTypists(int count) throws Exception {
    Random random = new Random(count);
    List<String> all = new ArrayList<>();
    List<Process> typists = new ArrayList<>();
    try {
      for (int round = 0; round < KILLS; round++) {
        while (typists.size() < count) {
          typists.add(TypingProcess.start(project, socket, "brain"));
        }
        for (int i = 0; i < EACH; i++) {
          all.add("@" + tx.folder().write(message(TxType.UPDATE, "m" + all.size())));
        }
        lines("core", all.size() - EACH);
        if (round % 2 == 0) {
          awaitPasted(all.get(all.size() - EACH));
        } else {
          LockSupport.parkNanos(random.nextInt(1_200) * 1_000_000L);
        }
        typists.remove(0).destroyForcibly().waitFor();
      }
      typists.add(TypingProcess.start(project, socket, "brain"));
      long begun = System.nanoTime();
      lines("core", all.size());
      assertThat(Duration.ofNanos(System.nanoTime() - begun)).isLessThan(Duration.ofSeconds(25));
      return all;
    } finally {
      for (Process typist : typists) {
        typist.destroyForcibly().waitFor();
      }
    }
  }

  private void awaitPasted(String reference) throws Exception {
    String end = reference.substring(reference.length() - 10);
    while (!server.tmux("capture-pane", "-p", "-J", "-t", "=brain:").contains(end)) {
      LockSupport.parkNanos(1_000_000);
    }
  }

  @Test
  void specialCharactersInName_areTypedLiterally() throws Exception {
    agent("brain", "core");
    String name = "Enter C-c; $(touch pwned) `id` -t x 'y\" ü 日本.md";
    Path file = tx.folder().messages().resolve(name);
    Files.writeString(file, "---\nto: brain\nfrom: core\nmsg-id: odd\n---\n\nx\n");

    assertThat(lines("core", 1)).containsExactly("@" + file);
    assertThat(project.resolve("pwned")).doesNotExist();
  }

  @Test
  void messageForMissingSession_waits() throws Exception {
    tx.deliver("brain", TxSink.tmux(TxAddress.parse("brain"), socket));
    Path file = tx.send(message(TxType.TASK, "t1")).get(0);
    TxEvent taken = events.poll(100, TimeUnit.SECONDS);
    assertThat(taken).isNotNull();
    assertThat(taken.kind()).isEqualTo(TxEvent.Kind.TAKEN);
    assertThat(tx.present()).isEmpty();
    agent("core", "core");
    server.tmux("rename-session", "-t", "=core", "brain");
    assertThat(lines("core", 1)).containsExactly("@" + file);
  }
}
