package dev.ralph.web;

import static org.assertj.core.api.Assertions.assertThat;

import dev.ralph.Agent;
import dev.ralph.AgentResult;
import dev.ralph.Claim;
import dev.ralph.LoopResult;
import dev.ralph.NewMessage;
import dev.ralph.NewTask;
import dev.ralph.Question;
import dev.ralph.Ralph;
import dev.ralph.RecordEntry;
import dev.ralph.Session;
import dev.ralph.StopReason;
import dev.ralph.Task;
import dev.ralph.Turn;
import dev.ralph.Usage;
import dev.ralph.core.internal.host.SessionOffer;
import dev.ralph.core.internal.host.SessionOffers;
import dev.ralph.log.Meta;
import dev.ralph.log.Topic;
import dev.ralph.mail.Mailbox;
import dev.ralph.mail.Mailboxes;
import dev.ralph.mail.NewMail;
import java.math.BigDecimal;
import java.net.URI;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Objects;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** The page as a user sees it: tests read the displayed page and click its elements. */
@Tag("clients")
class PageInBrowserTest {

  /** A text that the page must neither execute nor let change the text direction. */
  private static final String HOSTILE =
      "<script>document.title='taken'</script><img src=x onerror=\"document.title='taken'\">"
          + " \u001b[31mred\u001b[0m \u202egnp.exe \u0007 \" ' & {{x}}";

  /** A shorter hostile text that is valid as a name. */
  private static final String NAME = "<img src=x>\u202e\u001b";

  // Key codes of WebDriver.
  private static final String TAB = "\ue004";
  private static final String ENTER = "\ue007";
  private static final String ESCAPE = "\ue00c";

  private static final Path PICTURES = Path.of("target", "page");

  @TempDir Path folder;

  private Ralph ralph;
  private Session session;
  private RalphServer server;
  private Browser browser;
  private String axe;

  @BeforeEach
  void start() throws Exception {
    String program = System.getenv("RALPH_AXE");
    assertThat(program).as("RALPH_AXE must be the axe.min.js of axe-core@4.14.1").isNotNull();
    axe = Files.readString(Path.of(program));
    ralph = Ralph.open(folder.resolve("store"));
    session = ralph.session("auth");
    server = RalphServer.builder(ralph).build();
    server.start();
    browser = new Browser();
    browser.window(1280, 900, false, 1);
  }

  @AfterEach
  void close() throws Exception {
    try {
      browser.close();
    } finally {
      server.close();
      ralph.close();
    }
  }

  private void open(String session) throws Exception {
    browser.open(server.link("ann"));
    browser.awaitText("Sessions");
    browser.click("a.card[href='#/" + session + "']");
    browser.awaitText("Messages");
  }

  @Test
  void loop_isWatchedSteeredAndStopped() throws Exception {
    session.tasks().add("Write the login form, with what it says when something is wrong");
    session.tasks().add(NewTask.of("Check the password against the store").dependsOn("t1"));
    session.notes().add("decision", "A form without script: it has to work in a text browser");
    CompletableFuture<String> answer = new CompletableFuture<>();
    CompletableFuture<String> heard = new CompletableFuture<>();
    CompletableFuture<LoopResult> ended =
        CompletableFuture.supplyAsync(() -> loop(turn -> work(turn, answer, heard)));

    open("auth");
    browser.awaitText("How are passwords hashed?");
    browser.awaitText("mvn -q verify");
    browser.awaitText("Reading the tasks");
    browser.await("document.title === '(1) auth · Ralph'");
    browser.await("document.querySelector('#icon').href.includes('>1<')");
    browser.window(1280, 1_120, false, 1);
    browser.picture(PICTURES.resolve("working.png"));
    browser.window(390, 844, true, 1);
    browser.picture(PICTURES.resolve("working-phone.png"));
    browser.window(1280, 900, false, 1);
    browser.type(".needs textarea", "By argon2id");
    browser.click(".needs button[type=submit]");
    assertThat(answer.get(30, TimeUnit.SECONDS)).isEqualTo("By argon2id");
    browser.await("document.title === 'auth · Ralph'");
    browser.await("document.querySelector('.panel.needs').hidden");

    browser.type(".messages textarea", "Do the API first");
    browser.click(".messages button[type=submit]");
    assertThat(heard.get(30, TimeUnit.SECONDS)).isEqualTo("Do the API first");
    browser.await("document.querySelector('.messages .items').textContent.includes('read')");

    browser.type(".tasks textarea", "Write the README");
    browser.type(".tasks form input", "t2");
    browser.click(".tasks button[type=submit]");
    browser.await(
        "document.querySelector('.tasks .items').textContent.includes('Write the README')");
    Task added = session.tasks().get("t3");
    assertThat(added.content()).isEqualTo("Write the README");
    assertThat(added.dependencies()).containsExactly(session.tasks().get("t2").id());

    browser.click(".top [data-act=stop]");
    browser.accept();
    assertThat(ended.get(60, TimeUnit.SECONDS).reason()).isEqualTo(StopReason.STOPPED);
    browser.await("document.querySelector('.state').innerText.includes('idle')");

    browser.click(".iterations .items a");
    browser.awaitText("The prompt");
    browser.awaitText("I look at what is there");
    browser.picture(PICTURES.resolve("conversation.png"));
    requireAccessible("conversation");
  }

  private LoopResult loop(Agent agent) {
    return session
        .loop(agent)
        .maxIterations(20)
        .maxIdle(0)
        .maxCost(new BigDecimal("5"))
        .directory(folder)
        .run();
  }

  /**
   * Asks a question once, runs one iteration, and completes {@code heard} with the received
   * message.
   */
  private static AgentResult work(
      Turn turn, CompletableFuture<String> answer, CompletableFuture<String> heard) {
    Session session = turn.session();
    turn.record(RecordEntry.client("Scripted", "1", "none", List.of(), null));
    turn.record(RecordEntry.text("I look at what is there"));
    turn.output("Reading the tasks");
    turn.output("Editing \u001b[1msrc/main/java/login/LoginForm.java\u001b[0m");
    turn.output("$ mvn -q verify");
    turn.usage(Usage.of(1_200, 300, new BigDecimal("0.02")));
    Optional<Claim> claim =
        session.tasks().claimNext("scripted", Duration.ofMinutes(1), turn.iteration());
    turn.record(RecordEntry.toolCall("c1", "Bash", "{\"command\":\"mvn -q verify\"}"));
    try {
      if (!answer.isDone()) {
        Question asked =
            session.questions().ask("How are passwords hashed?", "scripted", turn.iteration());
        answer.complete(
            session.questions().await(asked.id(), Duration.ofMinutes(1)).orElseThrow().answer());
      }
      session
          .inbox()
          .unread()
          .forEach(
              message -> {
                session.inbox().markRead(message.id(), "scripted");
                heard.complete(message.text());
              });
      if (turn.iteration() > 1) {
        TimeUnit.MILLISECONDS.sleep(300); // simulates work
      }
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
    turn.record(RecordEntry.toolResult("c1", false, "Tests run: 12, Failures: 0"));
    claim.ifPresent(held -> session.tasks().complete(held.taskId()));
    return AgentResult.success();
  }

  @Test
  void hostileText_isShownLiterally() throws Exception {
    session.tasks().add(HOSTILE);
    session.tasks().add("x".repeat(1_000_000));
    session.inbox().send(NewMessage.of(HOSTILE).by(HOSTILE));
    session.notes().add("learning", HOSTILE, 1, "about " + "y".repeat(150));
    session.questions().ask(HOSTILE, HOSTILE, 1);
    Mailbox box = Mailboxes.of(ralph, "auth").box("from " + NAME);
    box.send(NewMail.of(HOSTILE).headline(HOSTILE).to("to " + NAME));
    ralph.append(Topic.of("mail.auth.bob"), Meta.of("by", "b".repeat(1_000_000)), HOSTILE);
    box.send(NewMail.of("x".repeat(1_000_000)).to("bob"));
    for (String reason : List.of(HOSTILE, "z".repeat(1_000_000))) {
      sendBack(session.tasks().add("Merge it"), HOSTILE, reason);
    }
    SessionOffers.of(ralph).put("auth", SessionOffer.anywhere().spec("a spec\u202e<img>.md"));
    ralph.append(
        Topic.of("ralph.auth.offer"),
        Meta.of("action", "failed").with("host", "h".repeat(1_000_000)).with("reason", HOSTILE),
        "");

    open("auth");
    for (String panel : List.of("mail", "merge", "hosts")) {
      browser.await("!document.querySelector('.panel." + panel + "').hidden");
    }
    browser.await(
        "document.querySelector('.panel.mail').textContent.includes('to <img src=x>\\\\u202e')");
    browser.await("document.querySelector('.panel.merge').textContent.includes('\\\\u202egnp')");
    browser.await("document.querySelector('.panel.hosts').textContent.includes('\\\\u202e<img>')");

    browser.awaitText("<script>document.title='taken'</script>");
    browser.awaitText("\\u001b[31mred\\u001b[0m \\u202egnp.exe \\u0007 \" ' & {{x}}");
    browser.await("document.title === '(1) auth · Ralph'");
    assertThat(browser.script("return document.querySelectorAll('img').length")).isEqualTo(0L);
    requireNoSidewaysScrolling();
    requireAccessible("hostile");
  }

  /** Completes a task on a branch, and reopens it as after a merge conflict. */
  private void sendBack(Task task, String branch, String reason) {
    Topic topic = Topic.of("ralph.auth.task");
    String until = Instant.now().plusSeconds(60).toString();
    Meta claim = Meta.of("action", "claim").with("id", task.id()).with("owner", HOSTILE);
    ralph.append(topic, claim.with("until", until).with("branch", branch), "");
    session.tasks().complete(task.id());
    Meta status = Meta.of("action", "status").with("id", task.id()).with("status", "remaining");
    ralph.append(topic, status.with("reason", reason), "");
  }

  @Test
  void keyboard_reachesEveryControl() throws Exception {
    session.tasks().add("Write the login form");
    browser.open(server.link("ann"));
    browser.awaitText("Sessions");

    tabTo("a.card[href='#/auth']");
    browser.press(ENTER);
    browser.awaitText("Messages");
    tabTo(".messages textarea");
    browser.press("Do the API first");
    tabTo(".messages [type=submit]");
    browser.press(ENTER);
    browser.awaitText("Sent as m1");

    tabTo(".tasks [data-act=edit]");
    browser.press(ENTER);
    browser.await("document.activeElement.matches('dialog textarea')");
    browser.press(" for two");
    tabTo("dialog [type=submit]");
    browser.press(ENTER);
    browser.awaitText("Changed t1");
    browser.await("document.activeElement.matches('.tasks [data-act=edit]')");
    browser.press(ENTER);
    browser.await("document.querySelector('dialog[open]')");
    browser.press(ESCAPE);
    browser.await("!document.querySelector('dialog')");

    assertThat(session.tasks().get("t1").content()).contains("for two");
    assertThat(session.inbox().get("m1").text()).isEqualTo("Do the API first");
  }

  private void tabTo(String selector) throws Exception {
    String isThere = "return document.activeElement.matches(arguments[0])";
    for (int i = 0; i < 60 && !Boolean.TRUE.equals(browser.script(isThere, selector)); i++) {
      browser.press(TAB);
    }
    assertThat(browser.script(isThere, selector)).as(selector).isEqualTo(true);
  }

  @Test
  void page_fitsEveryWidthAndColorScheme() throws Exception {
    fill();
    open("auth");
    browser.awaitText("gate mvn verify, for 1 min 2");
    browser.awaitText("prepares its folder, for ");
    browser.awaitText("waits because the client's limit was reached, 14 min 5");
    browser.awaitText("waits for a task");
    for (boolean dark : new boolean[] {false, true}) {
      for (int width : new int[] {1400, 800, 390}) {
        String name = width + (dark ? "-dark" : "");
        browser.window(width, 1_000, dark, 1);
        requireNoSidewaysScrolling();
        requireAccessible(name);
        browser.picture(PICTURES.resolve(name + ".png"));
        browser.script("scrollTo(0, document.body.scrollHeight)");
        browser.picture(PICTURES.resolve(name + "-end.png"));
        browser.script("scrollTo(0, 0)");
      }
    }
    browser.window(1280, 1_000, false, 2);
    requireNoSidewaysScrolling();
    browser.open(URI.create("http://127.0.0.1:" + server.address().getPort() + "/#/"));
    browser.awaitText("Needs you");
    browser.awaitText("Which fields does the login take?");
    browser.window(1280, 900, false, 1);
    requireAccessible("overview");
    browser.picture(PICTURES.resolve("overview.png"));
  }

  private void fill() {
    session.tasks().add("Write the login form, with what it says when something is wrong");
    session.tasks().add(NewTask.of("Check the password against the store").priority(1));
    session.tasks().add(NewTask.of("Say in README.md how it is done").dependsOn("t1"));
    session.tasks().complete("t1");
    session.inbox().send(NewMessage.of("Do the API first, please").by("ann"));
    session.notes().add("decision", "Passwords are hashed by argon2id", 1, "t2");
    session.questions().ask("May I rename the column?", "claude", 1);
    loop(
        turn -> {
          turn.record(RecordEntry.client("Claude Code", "2.1", "opus", List.of(), null));
          turn.output("\u001b[32mok\u001b[0m");
          turn.usage(Usage.of(12_000, 900, new BigDecimal("0.12")));
          session.control().stop("enough");
          session.questions().answer("q1", "No");
          session.questions().ask("And the table?", "claude", 1);
          return AgentResult.success();
        });
    // Agents cannot record gate results; only the loop does.
    RecordEntry red = RecordEntry.gate("mvn verify", false, 1, "LoginTest.empty: expected 400");
    ralph.append(Topic.of("ralph.auth.record"), Meta.of("iteration", 1), red.json().json());
    ralph.session("billing").tasks().add("Send the invoice");
    failBilling();
    sendBack(
        session.tasks().get("t3"),
        "ralph/auth/t3",
        "CONFLICT (content): Merge conflict in README.md");
    Mailboxes boxes = Mailboxes.of(ralph, "auth");
    boxes.box("agent-1").send(NewMail.of("Which fields does the login take?").to("agent-2"));
    boxes
        .box("agent-2")
        .receive(Duration.ofMinutes(1))
        .orElseThrow()
        .reply("A name and a password, both as text.");
    SessionOffers.of(ralph).put("auth", SessionOffer.anywhere().label("linux"));
    goOn();
  }

  /** Simulates a run of the session {@code billing} that has failed. */
  private void failBilling() {
    String scope = "ralph.billing.";
    Meta run = Meta.of("run", "one");
    ralph.append(Topic.of(scope + "control"), run.with("action", "loop_start"), "");
    Meta first = Meta.of("n", 1);
    ralph.append(Topic.of(scope + "iteration"), first.with("action", "start"), "");
    Meta failed = first.with("action", "complete").with("status", "failure");
    ralph.append(
        Topic.of(scope + "iteration"), failed.with("summary", "no rights for the mail server"), "");
    Meta end = run.with("action", "loop_end").with("reason", "failures");
    ralph.append(Topic.of(scope + "control"), end, "");
  }

  /**
   * Simulates a loop of another host that continues with three agents, each in another activity.
   */
  private void goOn() {
    Meta loop = Meta.of("action", "loop_start").with("host", "blue").with("pid", 4711);
    append("control", loop.with("run", "one").with("from", 2).with("agents", 3));
    Meta start = Meta.of("action", "start").with("n", 2).with("agent", 1);
    append("iteration", start.with("task", session.tasks().get("t2").id()));
    Meta begin = Meta.of("action", "begin").with("run", "one");
    append("activity", begin.with("kind", "gate").with("about", "mvn verify").with("ago", 80_000));
    append("activity", begin.with("agent", 1).with("kind", "folder").with("ago", 7_000));
    append("activity", begin.with("agent", 2).with("kind", "rate_limit").with("millis", 900_000));
  }

  private void append(String topic, Meta meta) {
    ralph.append(Topic.of("ralph.auth." + topic), meta, "");
  }

  private void requireNoSidewaysScrolling() throws Exception {
    assertThat(
            browser.script(
                "return document.documentElement.scrollWidth -"
                    + " document.documentElement.clientWidth"))
        .isEqualTo(0L);
  }

  private void requireAccessible(String where) throws Exception {
    browser.script(axe);
    Object findings =
        browser.scriptThatCalls(
            "const done = arguments[0];axe.run(document, {resultTypes: ['violations']}).then(found"
                + " => done(found.violations.map(v => v.id + ' ' + v.help + ' ' +"
                + " v.nodes[0].html).join('\\n"
                + "')))");
    assertThat(Objects.toString(findings)).as(where).isEmpty();
  }
}
