package dev.ralph.web;

import static org.assertj.core.api.Assertions.assertThat;

import dev.ralph.NewTask;
import dev.ralph.Ralph;
import dev.ralph.RecordEntry;
import dev.ralph.Session;
import dev.ralph.core.internal.host.SessionOffer;
import dev.ralph.core.internal.host.SessionOffers;
import dev.ralph.log.Draft;
import dev.ralph.log.Meta;
import dev.ralph.log.Topic;
import java.net.URI;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Instant;
import java.util.List;
import java.util.Objects;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * The daily jobs of a person on the page, on a desktop and a phone, by mouse and by keys. Writes
 * the number of clicks and key presses, without typed text, to {@code target/clients/jobs.txt}.
 */
@Tag("clients")
class PageJobsTest {

  // Key codes of WebDriver.
  private static final String CONTROL = "\ue009";
  private static final String ENTER = "\ue007";
  private static final String TAB = "\ue004";
  private static final String DOWN = "\ue015";

  private static final Path FIGURES = Path.of("target", "clients", "jobs.txt");
  private static final Path PICTURES = Path.of("target", "page");

  @TempDir static Path folder;

  private static Ralph ralph;
  private static ReviewRepository repository;
  private static RalphServer server;
  private static Browser browser;
  private static String axe;
  private static int sessions;

  private Session session;
  private int clicks;
  private int keys;
  private long begun;

  @BeforeAll
  static void start() throws Exception {
    String program = System.getenv("RALPH_AXE");
    assertThat(program).as("RALPH_AXE must be the axe.min.js of axe-core").isNotNull();
    axe = Files.readString(Path.of(program));
    Files.deleteIfExists(FIGURES);
    ralph = Ralph.inMemory();
    repository = new ReviewRepository(folder.resolve("project"));
    server = RalphServer.builder(ralph).repository(repository.folder()).build();
    server.start();
    browser = new Browser();
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

  private void addSession() {
    session = ralph.session("job" + ++sessions);
    session.tasks().add("Write the form");
  }

  private void append(String topic, Meta meta, String content) {
    Draft draft = Draft.of(Topic.of("ralph." + session.name() + "." + topic), meta, content);
    ralph.append(List.of(draft));
  }

  private void startIteration(int number, int agent) {
    Meta start = Meta.of("action", "start").with("n", number).with("agent", agent);
    append("iteration", start.with("timestamp", Instant.now().toString()), "");
  }

  private void open(String path, int width) throws Exception {
    browser.window(width, 900, false, 1);
    browser.open(URI.create("about:blank")); // otherwise messages of the last test stay visible
    browser.open(URI.create("http://127.0.0.1:" + server.address().getPort() + "/#/" + path));
    clicks = 0;
    keys = 0;
    begun = System.nanoTime();
  }

  private void click(String selector) throws Exception {
    browser.click(selector);
    clicks++;
  }

  private void press(String pressed) throws Exception {
    browser.press(pressed);
    keys += pressed.length();
  }

  /** Presses keys until an element has the focus. */
  private void pressUntil(String pressed, String selector) throws Exception {
    String isThere = "return document.activeElement.matches(arguments[0])";
    for (int i = 0; i < 200 && !Boolean.TRUE.equals(browser.script(isThere, selector)); i++) {
      press(pressed);
    }
    assertThat(browser.script(isThere, selector)).as(selector).isEqualTo(true);
  }

  /** Opens the session from its card. */
  private void openCard(String way) throws Exception {
    String card = "a.card[href=\"#/" + session.name() + "\"]";
    browser.await("document.querySelector('" + card + "')");
    begun = System.nanoTime();
    if (way.equals("mouse")) {
      click(card);
    } else {
      pressUntil("j", card);
      press(ENTER);
    }
    browser.await("document.querySelector('.session h1')");
  }

  private void press(String held, String key) throws Exception {
    browser.press(held, key);
    keys++;
  }

  /** Writes the figures of a job. */
  private void keep(String job, int width, String way) throws Exception {
    Files.createDirectories(FIGURES.getParent());
    String before = Files.exists(FIGURES) ? Files.readString(FIGURES) : "";
    long millis = (System.nanoTime() - begun) / 1_000_000;
    Files.writeString(
        FIGURES,
        before
            + String.format(
                "%s, %d px, %s: %d clicks, %d keys, %d ms%n",
                job, width, way, clicks, keys, millis));
  }

  /** Checks the shown page with axe in light and dark colours, and for sideways scrolling. */
  private void requireSound(String where, int width) throws Exception {
    for (boolean dark : new boolean[] {true, false}) {
      browser.window(width, 900, dark, 1);
      assertThat(
              browser.script(
                  "return document.documentElement.scrollWidth -"
                      + " document.documentElement.clientWidth"))
          .as(where)
          .isEqualTo(0L);
      browser.script(axe);
      Object findings =
          browser.scriptThatCalls(
              "const done = arguments[0];"
                  + "axe.run(document, {resultTypes: ['violations'], runOnly: ['wcag2a', 'wcag2aa',"
                  + " 'wcag21a', 'wcag21aa', 'wcag22aa', 'best-practice']}).then(found => done("
                  + "found.violations.map(v => v.id + ' ' + v.help + ' ' + v.nodes[0].html)"
                  + ".join('\\n')))");
      assertThat(Objects.toString(findings)).as(where + (dark ? ", dark" : "")).isEmpty();
      browser.picture(PICTURES.resolve(where + "-" + width + (dark ? "-dark" : "") + ".png"));
    }
  }

  // ---- answer a question

  @ParameterizedTest
  @CsvSource({"1440, mouse", "390, mouse", "1440, keys", "390, keys"})
  void question_isAnsweredOnCard(int width, String way) throws Exception {
    addSession();
    session.questions().ask("Which port?", "claude", 1);
    open("", width);
    String card = ".needs li:has(> [href=\"#/" + session.name() + "\"])";
    browser.await("document.querySelector('" + card + " textarea')");
    requireSound("card", width);
    begun = System.nanoTime();

    if (way.equals("mouse")) {
      click(card + " textarea");
      browser.press("8080");
      click(card + " [type=submit]");
    } else {
      press("a");
      browser.await("document.activeElement.matches('" + card + " textarea')");
      browser.press("8080");
      press(CONTROL, ENTER);
    }

    browser.await("!document.querySelector('" + card + "')");
    keep("answer a question", width, way);
    assertThat(session.questions().get("q1").answer()).isEqualTo("8080");
    assertThat(session.questions().get("q1").answeredBy()).isEqualTo("ann");
  }

  // ---- find a failing gate

  @ParameterizedTest
  @CsvSource({"1440, mouse", "390, mouse", "1440, keys", "390, keys"})
  void failingGate_isNamedAtTheTop(int width, String way) throws Exception {
    addSession();
    startIteration(1, 0);
    RecordEntry red = RecordEntry.gate("mvn verify", false, 1, "LoginTest.empty: expected 400");
    append("record", Meta.of("iteration", 1), red.json().json());
    append("record", Meta.of("iteration", 1), RecordEntry.gate("lint", true, 0, "").json().json());
    open("", width);

    openCard(way);

    browser.await(
        "document.querySelector('.top').innerText.includes('LoginTest.empty: expected 400')");
    keep("find a failing gate", width, way);
    browser.click("[data-act=failing]");
    browser.await("document.activeElement.id === 'p-gates'");
    browser.await("document.querySelector('.gates .items li').innerText.includes('mvn verify')");
  }

  // ---- comment on a change

  @ParameterizedTest
  @CsvSource({"1440, mouse", "390, mouse", "1440, keys", "390, keys"})
  void comment_becomesMessageWithFileAndLine(int width, String way) throws Exception {
    addSession();
    String head = repository.branch(session.name());
    open("", width);
    String line = ".file:first-of-type .diffline.plus button";

    openCard(way);
    if (way.equals("mouse")) {
      click("a[href='#/" + session.name() + "/review']");
      browser.await("document.querySelector('" + line + "')");
      click(line);
      browser.press("Read the port from the settings");
      click(".comment [type=submit]");
    } else {
      pressUntil(TAB, "a[href='#/" + session.name() + "/review']");
      press(ENTER);
      browser.await("document.querySelector('" + line + "')");
      press("j");
      press(TAB);
      pressUntil(DOWN, ".diffline.plus button");
      press(ENTER);
      browser.press("Read the port from the settings");
      press(CONTROL, ENTER);
    }

    browser.awaitText("Sent as m1");
    keep("comment on a change", width, way);
    assertThat(session.inbox().get("m1").text())
        .isEqualTo(
            "About src/login/Form.java:2, at "
                + head.substring(0, 10)
                + ":\n> +  int port = 8080;\n\nRead the port from the settings");
    browser.awaitText("ralph branch merge " + session.name());
    browser.awaitText("// <img src=x>");
    assertThat(browser.script("return document.querySelectorAll('#main img').length"))
        .isEqualTo(0L);
    requireSound("review", width);
  }

  // ---- send a message

  @ParameterizedTest
  @CsvSource({"1440, mouse", "390, mouse", "1440, keys", "390, keys"})
  void message_isSent(int width, String way) throws Exception {
    addSession();
    open("", width);

    openCard(way);
    if (way.equals("mouse")) {
      click(".messages textarea");
      browser.press("Do the API first");
      click(".messages [type=submit]");
    } else {
      press("m");
      browser.await("document.activeElement.matches('.messages textarea')");
      browser.press("Do the API first");
      press(CONTROL, ENTER);
    }

    browser.awaitText("Sent as m1");
    keep("send a message", width, way);
    assertThat(session.inbox().get("m1").text()).isEqualTo("Do the API first");
  }

  // ---- go on after an end

  @ParameterizedTest
  @CsvSource({"1440, mouse", "390, mouse", "1440, keys", "390, keys"})
  void endedSession_goesOnByCommandAndOffer(int width, String way) throws Exception {
    addSession();
    append("control", Meta.of("action", "loop_start").with("run", "one").with("agents", 2), "");
    startIteration(1, 1);
    Meta end = Meta.of("action", "loop_end").with("run", "one").with("reason", "failures");
    append("control", end, "");
    SessionOffers offers = SessionOffers.of(ralph);
    offers.put(session.name(), SessionOffer.anywhere());
    offers.withdraw(session.name(), "failed");
    open("", width);
    String card = ".needs li:has(> [href=\"#/" + session.name() + "\"]) ";
    String command = "ralph build -n " + session.name() + " --agents 2";
    browser.await("document.querySelector('" + card + "[data-act=copy-command]')");
    begun = System.nanoTime();

    if (way.equals("mouse")) {
      click(card + "[data-act=copy-command]");
    } else {
      pressUntil("j", "a.card[href=\"#/" + session.name() + "\"]");
      pressUntil(TAB, "[data-act=copy-command]");
      press(ENTER);
    }

    browser.awaitText("Copied the command");
    keep("go on by the command", width, way);
    browser.await("document.querySelector('" + card + "').innerText.includes('" + command + "')");
    requireSound("ended", width);
    browser.click(card + "[data-act=offer]");
    browser.awaitText("Offered " + session.name() + " to hosts");
    assertThat(offers.find(session.name()).orElseThrow().isOpen()).isTrue();
  }

  // ---- views

  @ParameterizedTest
  @ValueSource(ints = {1440, 390})
  void outputOfAgents_isSelectedAndFound(int width) throws Exception {
    addSession();
    append(
        "control",
        Meta.of("action", "loop_start").with("host", "blue").with("pid", 47).with("run", "one"),
        "");
    startIteration(1, 1);
    startIteration(2, 2);
    append("output", Meta.of("iteration", 1), "Reading Form.java");
    append("output", Meta.of("iteration", 2), "$ mvn verify");
    open(session.name(), width);

    browser.awaitText("agent 2, iteration 2");
    browser.script(
        "const of = document.querySelector('[name=of]'); of.value = '2';"
            + " of.dispatchEvent(new Event('change'))");
    browser.await("!document.querySelector('.output').textContent.includes('Reading')");
    append("output", Meta.of("iteration", 2), "BUILD FAILURE");
    browser.await("document.querySelector('.output').textContent.includes('BUILD FAILURE')");
    browser.type("[name=find]", "build");
    browser.await("document.querySelector('.tools [role=status]').textContent === '1 of 1 match'");
    requireSound("session", width);
  }

  @ParameterizedTest
  @ValueSource(ints = {1440, 390})
  void iteration_isAStory(int width) throws Exception {
    addSession();
    startIteration(1, 0);
    StringBuilder record = new StringBuilder(RecordEntry.text("I read the form").json().json());
    for (int i = 0; i < 5; i++) {
      String arguments = "{\"file_path\":\"/src/Form" + i + ".java\"}";
      record.append('\n').append(RecordEntry.toolCall("c" + i, "Read", arguments).json().json());
      record.append('\n').append(RecordEntry.toolResult("c" + i, false, "ok").json().json());
    }
    record.append('\n').append(RecordEntry.text("Now I test the form").json().json());
    record
        .append('\n')
        .append(RecordEntry.toolCall("t", "Bash", "{\"command\":\"mvn test\"}").json().json());
    record.append('\n').append(RecordEntry.toolResult("t", true, "1 failure").json().json());
    append("record", Meta.of("iteration", 1), record.toString());
    append("output", Meta.of("iteration", 1), "$ mvn test");
    Meta end = Meta.of("action", "complete").with("n", 1).with("status", "failure");
    append("iteration", end.with("summary", "the test failed"), "");
    open(session.name() + "/iteration/1", width);

    browser.awaitText("5 steps: Read 5");
    browser.press("m");
    browser.await("document.activeElement.matches('.messages textarea')");
    browser.back();
    browser.awaitText("5 steps: Read 5");
    browser.await("!document.querySelector('.steps > div > details').open");
    browser.await("document.querySelectorAll('.steps > div > details')[1].open");
    browser.awaitText("6 steps, 1 failed");
    browser.awaitText("the test failed");
    browser.awaitText("$ mvn test");
    requireSound("iteration", width);
    browser.click("a[href$='review?iteration=1']");
    browser.awaitText("Review of " + session.name() + ", iteration 1");
    browser.awaitText("lacks its first and last commit");
  }

  @Test
  void taskLink_selectsTasks() throws Exception {
    addSession();
    session.tasks().add(NewTask.of("Check the login").touches("src/login/**"));
    open(session.name() + "/tasks?text=login&touches=src", 1440);

    String list = "document.querySelector('.tasks .items')";
    browser.await(list + "?.children.length === 1 && " + list + ".innerText.includes('t2')");
    browser.script(
        "const text = document.querySelector('.filter [name=text]'); text.value = 'form';"
            + " text.dispatchEvent(new Event('input', {bubbles: true}))");
    browser.await("location.hash.endsWith('/tasks?text=form&touches=src')");
    browser.awaitText("0 of 2");
    session.tasks().add(NewTask.of("Write another form").touches("src/Form.java"));
    browser.await(list + ".innerText.includes('another form')");
    browser.click(".tasks .ref");
    browser.await("location.hash.endsWith('/tasks?text=t3')");
    browser.await("document.querySelector('.filter [name=text]').value === 't3'");
    browser.click("#crumbs a:last-of-type");
    browser.await(list + ".children.length === 3");
    browser.await("document.querySelector('.filter [name=text]').value === ''");
    browser.back();
    browser.await(list + ".children.length === 1");
  }

  @Test
  void hiddenTab_notifies() throws Exception {
    addSession();
    open(session.name(), 1440);
    browser.devtools(
        "Browser.grantPermissions",
        Meta.of("permissions", List.of("notifications"))
            .with("origin", "http://127.0.0.1:" + server.address().getPort()));
    browser.await("document.querySelector('#link').textContent === 'live'");
    browser.click("[data-act=notify]");
    browser.awaitText("Notifications on");
    browser.script(
        "window.notified = []; const Real = Notification;"
            + "window.Notification = class { static permission = Real.permission;"
            + " constructor(title, options) { notified.push(title + ': ' + options.body); } }");
    String tab = browser.tab();
    browser.newTab();
    session.questions().ask("Which port?", "claude", 1);
    browser.await("true");
    browser.switchTo(tab);
    browser.await("notified.length === 1");
    assertThat(browser.script("return notified[0]"))
        .isEqualTo(session.name() + " needs you: Which port?");
    browser.click("[data-act=notify]");
    browser.awaitText("Notifications off");
  }
}
