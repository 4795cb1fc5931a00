package dev.ralph.web;

import static org.assertj.core.api.Assertions.assertThat;

import dev.ralph.NewTask;
import dev.ralph.Question;
import dev.ralph.Ralph;
import dev.ralph.RecordEntry;
import dev.ralph.Session;
import dev.ralph.Usage;
import dev.ralph.core.CommandAgent;
import dev.ralph.log.Draft;
import dev.ralph.log.Meta;
import dev.ralph.log.Topic;
import java.math.BigDecimal;
import java.net.URI;
import java.nio.file.Path;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/**
 * The states and figures that Chromium shows. All tests share one server and one browser; each has
 * its own session.
 */
@Tag("clients")
class PageTruthTest {

  // Key codes of WebDriver.
  private static final String CONTROL = "\ue009";
  private static final String ENTER = "\ue007";

  @TempDir static Path folder;

  private static Ralph ralph;
  private static RalphServer server;
  private static Browser browser;
  private static int sessions;

  private Session session;

  @BeforeAll
  static void start() throws Exception {
    ralph = Ralph.inMemory();
    server = RalphServer.builder(ralph).build();
    server.start();
    browser = new Browser();
    browser.window(1280, 900, false, 1);
    browser.open(server.link("ann"));
    browser.awaitText("Sessions");
  }

  @AfterAll
  static void close() throws Exception {
    try {
      browser.close();
    } finally {
      server.close();
      ralph.close();
    }
  }

  @BeforeEach
  void addSession() {
    session = ralph.session("s" + ++sessions);
    session.tasks().add("Write the form");
  }

  private void append(String topic, Meta meta, String content) {
    Draft draft = Draft.of(Topic.of("ralph." + session.name() + "." + topic), meta, content);
    ralph.append(List.of(draft));
  }

  /** Appends the start of another host's loop, which stays live. */
  private void startLoop() {
    append(
        "control",
        Meta.of("action", "loop_start").with("host", "blue").with("pid", 47).with("run", "one"),
        "");
  }

  private void startIteration(int number) {
    Meta start = Meta.of("action", "start").with("n", number);
    append("iteration", start.with("timestamp", Instant.now().toString()), "");
  }

  private URI address(String path) {
    return URI.create("http://127.0.0.1:" + server.address().getPort() + "/#/" + path);
  }

  private void open(String path) throws Exception {
    browser.open(address(path));
  }

  private void openSession() throws Exception {
    open(session.name());
    browser.await("document.querySelector('h1')?.textContent === '" + session.name() + "'");
    browser.await("document.querySelector('.tasks .items li')");
  }

  // ---- states and figures

  @Test
  void workingSessionWithQuestion_isInBothGroups() throws Exception {
    startLoop();
    startIteration(1);
    session.questions().ask("Which port?", "claude", 1);
    open("");

    String card = " .card[href=\"#/" + session.name() + "\"]";
    browser.await("document.querySelector('.group.needs" + card + "')");
    browser.await("document.querySelector('.group.working" + card + "')");
    assertThat(browser.script("return document.querySelector('.working .number').textContent"))
        .isNotEqualTo("0");
    append(
        "control", Meta.of("action", "loop_end").with("run", "one").with("reason", "failures"), "");
    browser.await("!document.querySelector('.group.working" + card + "')");
    browser.await("document.querySelector('.needs" + card + " .chip.failed')");
  }

  @Test
  void onlyEstimatesAndUnknownFigures_areMarked() throws Exception {
    append(
        "iteration",
        Meta.of("action", "start").with("n", 1).with("timestamp", Instant.now().toString()),
        "");
    Usage exact = Usage.of(1_200, 300, new BigDecimal("0.02"));
    append(
        "iteration",
        Meta.of("action", "complete")
            .with("n", 1)
            .with("status", "success")
            .with("usage", exact.json()),
        "");
    openSession();

    browser.await(
        "document.querySelector('.iterations .used')?.textContent === '$0.02 · 1.50 k tokens'");
    assertThat(browser.script("return document.body.textContent.includes('reported')"))
        .isEqualTo(false);
  }

  @Test
  void search_showsTrueCountAndMore() throws Exception {
    List<NewTask> tasks = new ArrayList<>();
    for (int i = 0; i < 90; i++) {
      tasks.add(NewTask.of("Fix the footer " + i));
    }
    session.tasks().addAll(tasks);
    openSession();

    browser.type(".search input", "footer" + ENTER);
    browser.await("document.querySelector('.found h2')?.textContent.startsWith('90 hits')");
    assertThat(hits()).isEqualTo(40L);
    browser.click(".found [data-act=more-found]");
    browser.await("document.querySelectorAll('.found .items > li').length === 80");
    browser.click(".found [data-act=more-found]");
    browser.await("document.querySelectorAll('.found .items > li').length === 90");
    browser.await("document.querySelector('.found [data-act=more-found]').hidden");
  }

  private static Object hits() throws Exception {
    return browser.script("return document.querySelectorAll('.found .items > li').length");
  }

  @Test
  void toolCall_isShownAsFileAndSize() throws Exception {
    startIteration(1);
    RecordEntry call =
        RecordEntry.toolCall(
            "c1",
            "Edit",
            "{\"file_path\":\"/src/LoginForm.java\",\"old_string\":\"a\",\"new_string\":\"b\\nc\\nd\"}");
    append("record", Meta.of("iteration", 1), call.json().json());
    open(session.name() + "/iteration/1");

    browser.await(
        "document.querySelector('.tool_call .line')?.textContent === 'EditLoginForm.java +3 -1'");
    browser.click(".tool_call summary");
    browser.await(
        "document.querySelector('.tool_call pre').textContent.includes('new_string: b\\nc\\nd')");
  }

  @Test
  void failedCommandAgent_showsOutputAndReason() throws Exception {
    CommandAgent agent =
        CommandAgent.of("sh", "-c", "echo 'reads <login.txt>'; echo 'no such file' >&2; exit 3");
    session.loop(agent::run).directory(folder).maxIterations(1).maxFailures(1).run();
    open(session.name() + "/iteration/1");

    browser.await(
        "document.querySelector('details[open] .output')?.textContent.includes('reads <login.txt>\\nno such file\\n')");
    browser.await("document.querySelector('.reason')?.textContent.includes('exit code 3')");
  }

  @Test
  void muchOutput_isDrawnInPart() throws Exception {
    startIteration(1);
    openSession();
    for (int i = 0; i < 200; i++) {
      StringBuilder text = new StringBuilder();
      for (int line = 0; line < 1_000; line++) {
        text.append("line ")
            .append(i * 1_000 + line)
            .append(" of what an agent prints while it works\n");
      }
      append("output", Meta.of("iteration", 1).with("continues", true), text.toString());
    }

    browser.await(
        "document.querySelector('.output').textContent.endsWith('line 199999 of what an agent prints while it works\\n')");
    Object lines =
        browser.script("return document.querySelector('.output').textContent.split('\\n').length");
    assertThat((Long) lines).isBetween(500L, 700L);
  }

  // ---- drafts

  @Test
  void drafts_surviveNavigationUpdatesAndReload() throws Exception {
    session.questions().ask("Which port?", "claude", 1);
    openSession();
    browser.type(".needs textarea", "8080");
    browser.type(".messages textarea", "Do the API first");
    browser.type(".tasks textarea", "Write the README");

    session.tasks().add("Something new");
    browser.await("document.querySelector('.tasks .items').textContent.includes('Something new')");
    requireDrafts();
    open("");
    browser.awaitText("Sessions");
    openSession();
    requireDrafts();
    browser.reload();
    requireDrafts();
    browser.click(".messages [type=submit]");
    browser.awaitText("Sent as m1");
    browser.reload();
    browser.await("document.querySelector('.messages .items li')");
    browser.await("document.querySelector('.messages textarea').value === ''");
  }

  private static void requireDrafts() throws Exception {
    browser.await("document.querySelector('.needs textarea')?.value === '8080'");
    browser.await("document.querySelector('.messages textarea').value === 'Do the API first'");
    browser.await("document.querySelector('.tasks textarea').value === 'Write the README'");
  }

  @Test
  void answerInSecondBrowser_keepsTypedText() throws Exception {
    Question asked = session.questions().ask("Which port?", "claude", 1);
    openSession();
    browser.type(".needs textarea", "8080, and 8443 for TLS");

    session.questions().answer(asked.id(), "9090", "bob");

    browser.awaitText("bob answered meanwhile: 9090");
    assertThat(browser.script("return document.querySelector('.needs textarea').value"))
        .isEqualTo("8080, and 8443 for TLS");
    browser.reload();
    browser.awaitText("bob answered meanwhile: 9090");
    browser.click(".needs [type=submit]");
    browser.awaitText("Sent as m2");
    assertThat(session.inbox().get("m2").text()).isEqualTo("About q1: 8080, and 8443 for TLS");
    browser.await("document.querySelector('.panel.needs').hidden");
  }

  @Test
  void focusAfterAnswer_isAtNextQuestion() throws Exception {
    session.questions().ask("Which port?", "claude", 1);
    session.questions().ask("Which host?", "claude", 1);
    openSession();

    browser.type(".needs textarea", "8080");
    browser.press(CONTROL, ENTER);
    browser.awaitText("Answered q1");
    browser.await("document.querySelectorAll('.needs .need').length === 1");
    browser.await("document.activeElement.matches('.needs textarea')");
    browser.press("localhost");
    browser.press(CONTROL, ENTER);
    browser.await("document.querySelector('.panel.needs').hidden");
    browser.await("document.activeElement.id === 'main'");
    assertThat(session.questions().get("q2").answer()).isEqualTo("localhost");
  }

  // ---- addresses and scroll positions

  @Test
  void malformedAddress_isNamed() throws Exception {
    for (String path : List.of("%", "%E0%A4%A", "a/b/c", "s1/iteration/x")) {
      openSession();
      browser.script("location.hash = '#/' + arguments[0]", path);
      browser.awaitText("Page not found");
      browser.click("#main a");
      browser.awaitText("Sessions");
    }
  }

  @Test
  void scrollPosition_belongsToEachPage() throws Exception {
    for (int i = 0; i < 60; i++) {
      session.notes().add("learning", "Note " + i);
      session.tasks().add("Task " + i);
    }
    openSession();
    browser.script("scrollTo(0, 300)");
    browser.script("document.querySelector('.home').click()");
    browser.awaitText("Needs you");
    browser.await("scrollY === 0");
    browser.back();
    browser.await("document.querySelector('.tasks .items li')");
    browser.await("scrollY === 300");
  }
}
