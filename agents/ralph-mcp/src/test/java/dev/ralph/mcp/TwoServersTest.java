package dev.ralph.mcp;

import static org.assertj.core.api.Assertions.assertThat;

import dev.ralph.Message;
import dev.ralph.Ralph;
import dev.ralph.Session;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import java.util.concurrent.Callable;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** The servers of two agents, as real processes, on one session of a store on disk. */
@Timeout(300)
class TwoServersTest {

  private static final int MESSAGES = 300;
  private static final Pattern SHOWN = Pattern.compile("message-\\d+\\.");
  private static final Pattern WORD = Pattern.compile("session_complete with word (\\w+)");

  @TempDir Path folder;
  private Ralph ralph;
  private Session session;
  private final List<ServerProcess> started = new ArrayList<>();

  @BeforeEach
  void open() {
    ralph = Ralph.open(folder.resolve("store"));
    session = ralph.session("s");
  }

  @AfterEach
  void end() throws InterruptedException {
    for (ServerProcess server : started) {
      server.kill();
    }
    ralph.close();
  }

  private ServerProcess start(Duration lease) throws Exception {
    ServerProcess server = ServerProcess.start(folder.resolve("store"), lease);
    started.add(server);
    return server;
  }

  /** Calls tools in turn until all messages are sent and three rounds have shown nothing new. */
  private static List<String> work(LineClient client, AtomicBoolean allSent) {
    List<String> shown = new ArrayList<>();
    int quiet = 0;
    for (int i = 0; quiet < 3; i++) {
      boolean last = allSent.get();
      String reply =
          i % 3 == 0
              ? client.call("note_add", Map.of("type", "tip", "content", "n" + i))
              : client.call(i % 3 == 1 ? "task_list" : "note_list");
      assertThat(reply).doesNotContain("shown again");
      Matcher matcher = SHOWN.matcher(reply);
      boolean any = false;
      while (matcher.find()) {
        shown.add(matcher.group());
        any = true;
      }
      quiet = last && !any ? quiet + 1 : 0;
    }
    return shown;
  }

  @Test
  void eachMessage_reachesSingleServer() throws Exception {
    LineClient first = start(Duration.ofMinutes(10)).client;
    LineClient second = start(Duration.ofMinutes(10)).client;
    AtomicBoolean allSent = new AtomicBoolean();
    ExecutorService threads = Executors.newFixedThreadPool(3);
    List<String> shown = new ArrayList<>();
    try {
      Future<?> operator =
          threads.submit(
              () -> {
                for (int i = 0; i < MESSAGES; i++) {
                  session.inbox().send("message-" + i + ".");
                }
                allSent.set(true);
              });
      Callable<List<String>> one = () -> work(first, allSent);
      Callable<List<String>> other = () -> work(second, allSent);
      Future<List<String>> firstShown = threads.submit(one);
      Future<List<String>> secondShown = threads.submit(other);
      operator.get(60, TimeUnit.SECONDS);
      shown.addAll(firstShown.get(60, TimeUnit.SECONDS));
      shown.addAll(secondShown.get(60, TimeUnit.SECONDS));
    } finally {
      threads.shutdownNow();
    }
    assertThat(shown).hasSize(MESSAGES).doesNotHaveDuplicates();
    assertThat(session.inbox().unread()).hasSize(MESSAGES);
    Set<String> byFirst = prove(first);
    Set<String> bySecond = prove(second);
    assertThat(byFirst).doesNotContainAnyElementsOf(bySecond);
    assertThat(session.inbox().unread()).isEmpty();
    assertThat(session.inbox().history()).hasSize(MESSAGES).allMatch(Message::isRead);
  }

  @Test
  void messageOfKilledServer_isRedelivered() throws Exception {
    ServerProcess first = start(Duration.ofSeconds(1));
    session.inbox().send("message-1.");
    assertThat(first.client.call("task_list")).contains("message-1.");
    first.kill();

    LineClient second = start(Duration.ofMinutes(1)).client;
    String reply = second.call("task_list");
    for (int i = 0; i < 600 && !reply.contains("message-1."); i++) {
      // The message is shown again only after the lease of the killed server has expired.
      Thread.sleep(50);
      reply = second.call("task_list");
    }
    assertThat(reply).contains("message-1.\n  (shown again");
    assertThat(session.inbox().unread()).hasSize(1);
    assertThat(second.call("task_list")).doesNotContain("message-1.");
    prove(second);
    assertThat(session.inbox().unread()).isEmpty();
  }

  @Test
  void messageOfKilledServer_staysUnread() throws Exception {
    ServerProcess first = start(Duration.ofMinutes(10));
    session.inbox().send("message-1.");
    assertThat(first.client.call("task_list")).contains("message-1.");
    first.kill();
    assertThat(session.inbox().unread()).extracting(Message::text).containsExactly("message-1.");
  }

  @Test
  void repeatedlyKilledServer_losesNoMessage() throws Exception {
    Set<String> shown = new TreeSet<>();
    int sent = 0;
    for (int round = 0; round < 4; round++) {
      ServerProcess server = start(Duration.ofMillis(1));
      for (int i = 0; i < 5; i++) {
        session.inbox().send("message-" + ++sent + ".");
        addShown(server.client.call("task_list"), shown);
      }
      shown.addAll(prove(server.client));
      // The server is killed during a call, so the client never receives the reply.
      session.inbox().send("message-" + ++sent + ".");
      server.client.sendCall("task_list", Map.of());
      server.kill();
      for (Message message : session.inbox().history()) {
        assertThat(!message.isRead() || shown.contains(message.text())).as(message.text()).isTrue();
      }
    }
    LineClient last = start(Duration.ofMinutes(1)).client;
    addShown(last.call("task_list"), shown);
    assertThat(shown).hasSize(sent);
    prove(last);
    assertThat(session.inbox().unread()).isEmpty();
  }

  /**
   * Completes the session, repeating each requested word; returns the messages shown on the way.
   */
  private static Set<String> prove(LineClient client) {
    Set<String> shown = new TreeSet<>();
    Map<String, Object> arguments = Map.of();
    while (true) {
      String reply =
          LineClient.text(
              client.request(
                  "tools/call", Map.of("name", "session_complete", "arguments", arguments)));
      Matcher word = WORD.matcher(reply);
      if (!word.find()) {
        return shown;
      }
      addShown(reply.substring(reply.indexOf("\n\n## ")), shown);
      arguments = Map.of("word", word.group(1));
    }
  }

  private static void addShown(String reply, Set<String> shown) {
    Matcher matcher = SHOWN.matcher(reply);
    while (matcher.find()) {
      shown.add(matcher.group());
    }
  }

  @Test
  void claimOfKilledServer_expiresSoon() throws Exception {
    session.tasks().add("one");
    ServerProcess first = start(Duration.ofMinutes(10));
    assertThat(first.client.call("task_next")).startsWith("Task t1 is yours");
    first.kill();
    assertThat(session.tasks().get("t1").claim().until())
        .isBefore(java.time.Instant.now().plus(Duration.ofMinutes(2)));
  }
}
