package dev.ralph.cli;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.ObjectMapper;
import dev.ralph.AgentResult;
import dev.ralph.NewTask;
import dev.ralph.Ralph;
import dev.ralph.RecordEntry;
import dev.ralph.Session;
import dev.ralph.Usage;
import dev.ralph.log.Meta;
import dev.ralph.log.Topic;
import dev.ralph.web.Browser;
import java.math.BigDecimal;
import java.net.URI;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Objects;
import java.util.Random;
import java.util.concurrent.TimeUnit;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/**
 * Measures the page of a real {@code ralph serve} in a real Chromium. Writes the figures to {@code
 * target/clients/page.txt}. The asserted limits allow for a busy machine.
 */
@Tag("clients")
@Timeout(900)
class PageSpeedIT {

  /** True to measure figures; otherwise the tests use small amounts of data. */
  private static final boolean FULL = Boolean.getBoolean("page.full");

  private static final int TASKS = FULL ? 10_000 : 1_000;
  private static final int ITERATIONS = FULL ? 1_000 : 50;
  private static final int LISTED = 40;
  private static final int ROUNDS = FULL ? 9 : 2;
  private static final int STARTS = FULL ? 5 : 1;
  private static final int EVENTS = FULL ? 400 : 100;

  private static final Duration MOST = Duration.ofSeconds(10);

  /** The number of open pages while frames are appended. */
  private static final int PAGES = FULL ? 20 : 4;

  /** The number of output lines that an agent prints at once. */
  private static final int LINES = FULL ? 200_000 : 20_000;

  /**
   * Records when the lists of a session, or an empty page, are painted. The script runs in the
   * page, because a request of the driver takes longer than a frame.
   */
  private static final String WATCH =
      """
      window.painted = then => requestAnimationFrame(() => {
        const channel = new MessageChannel();
        channel.port1.onmessage = then;
        channel.port2.postMessage(0);
      });
      window.lists = (tasks, iterations) => {
        const has = (list, count) => document.querySelectorAll(`.${list} .items > li`).length >= count;
        window.shown = new Promise(done => new MutationObserver((changes, observer) => {
          if (!has('tasks', tasks) || !has('iterations', iterations)) return;
          observer.disconnect();
          painted(() => done(performance.now()));
        }).observe(document, {childList: true, subtree: true}));
      };
      if (location.hash === '#/large') lists(MOST, MOST);
      else if (location.hash === '#/small') lists(10, 1);
      else window.shown = new Promise(done => painted(() => done(performance.now())));
      """
          .replace("MOST", String.valueOf(LISTED));

  /** Records the longest time for which the page was blocked, in milliseconds. */
  private static final String BLOCKS =
      """
      window.longest = 0;
      new PerformanceObserver(list => {
        for (const each of list.getEntries()) longest = Math.max(longest, each.duration);
      }).observe({type: 'longtask'});
      """;

  /** Collects the ages of the times that the page shows, in microseconds, when they are painted. */
  private static final String AGES =
      """
      window.ages = [];
      const seen = new Set();
      new MutationObserver(changes => {
        const times = [];
        for (const change of changes) for (const node of change.addedNodes) {
          for (const [, time] of node.textContent.matchAll(/at (\\d{16})\\b/g)) {
            if (!seen.has(time)) { seen.add(time); times.push(Number(time)); }
          }
        }
        if (times.length) painted(() => {
          const now = (performance.timeOrigin + performance.now()) * 1000;
          for (const time of times) ages.push(now - time);
        });
      }).observe(document.querySelector('main'), {childList: true, subtree: true});
      """;

  @TempDir Path folder;
  private Checkout checkout;
  private Path store;
  private Process server;
  private URI link;
  private Browser browser;

  @BeforeEach
  void start() throws Exception {
    checkout = Checkout.shared(folder);
    store = folder.resolve("store");
  }

  @AfterEach
  void clear() throws Exception {
    browser.close();
    checkout.clear();
    assertThat(checkout.left()).isEmpty();
  }

  /** Starts the server, on its previous port if it has run before. */
  private void serve() throws Exception {
    String port = link == null ? "0" : String.valueOf(link.getPort());
    server = checkout.talkTo("serve", "--json", "--store", store.toString(), "--port", port);
    String said = server.inputReader(StandardCharsets.UTF_8).readLine();
    link = URI.create(new ObjectMapper().readTree(said).path("link").asText());
  }

  /** Starts the browser, and logs in. */
  private void enter() throws Exception {
    browser = new Browser();
    browser.window(1280, 900, false, 1);
    buyKey();
    browser.devtools("Page.addScriptToEvaluateOnNewDocument", Meta.of("source", WATCH));
  }

  /** Exchanges the code of the link for a key and stores the key, without loading the page. */
  private void buyKey() throws Exception {
    String code = link.getFragment().substring("code=".length());
    browser.open(link.resolve("/page.css"));
    Object bought =
        browser.scriptThatCalls(
            "const done = arguments[0];"
                + "fetch('enter', {method: 'POST', headers: {'Content-Type': 'application/json'},"
                + " body: JSON.stringify({token: '"
                + code
                + "'})}).then(response => response.json()).then(answer => {"
                + " localStorage.setItem('ralph.key /', answer.key); done(Boolean(answer.key));"
                + " });");
    assertThat(bought).isEqualTo(true);
  }

  // ---- large sessions

  @Test
  void largeSession_opensWithinLimit() throws Exception {
    try (Ralph ralph = Ralph.open(store)) {
      fill(ralph.session("large"), TASKS, ITERATIONS);
      fill(ralph.session("small"), 10, 1);
    }
    List<Double> empty = new ArrayList<>();
    List<Double> address = new ArrayList<>();
    List<Double> addressOfSmall = new ArrayList<>();
    List<Double> click = new ArrayList<>();
    List<Double> clickOnSmall = new ArrayList<>();
    List<Double> cold = new ArrayList<>();
    List<Double> coldOfSmall = new ArrayList<>();
    serve();
    enter();
    for (int i = 0; i < STARTS; i++) {
      for (boolean large : new boolean[] {false, true}) {
        browser.open(URI.create("about:blank"));
        server.destroy();
        assertThat(server.waitFor(1, TimeUnit.MINUTES)).isTrue();
        serve();
        buyKey();
        (large ? cold : coldOfSmall).add(byAddress(large));
      }
    }
    for (int i = 0; i < ROUNDS; i++) {
      empty.add(emptyPage());
      addressOfSmall.add(byAddress(false));
      address.add(byAddress(true));
      clickOnSmall.add(byClick(false));
      click.add(byClick(true));
    }
    keep(
        String.format(
            Locale.ROOT,
            "session of %,d tasks and %,d iterations, ms until its lists are on the screen",
            TASKS,
            ITERATIONS),
        row("by a click, server warm", click, clickOnSmall),
        row("by its address, server warm", address, addressOfSmall),
        row("by its address, server just started", cold, coldOfSmall),
        String.format(
            Locale.ROOT,
            "an empty page: median %.0f, longest %.0f",
            median(empty),
            percentile(empty, 100)),
        scroll());
    assertThat(median(click)).isLessThan(MOST.toMillis());
    assertThat(median(address)).isLessThan(MOST.toMillis());
    assertThat(median(cold)).isLessThan(MOST.toMillis());
  }

  private double byAddress(boolean large) throws Exception {
    browser.open(URI.create("about:blank"));
    browser.open(link.resolve("/#/" + (large ? "large" : "small")));
    return shown();
  }

  /** Returns the time to open a file of the server without scripts. */
  private double emptyPage() throws Exception {
    browser.open(URI.create("about:blank"));
    browser.open(link.resolve("/page.css"));
    return shown();
  }

  private double byClick(boolean large) throws Exception {
    browser.open(URI.create("about:blank"));
    browser.open(link.resolve("/#/"));
    String card = "a.card[href='#/" + (large ? "large" : "small") + "']";
    browser.await("document.querySelector(\"" + card + "\")");
    browser.script(
        "addEventListener('click', event => { window.begun = event.timeStamp; lists("
            + (large ? LISTED + ", " + LISTED : "10, 1")
            + "); }, {capture: true, once: true})");
    browser.click(card);
    return shown() - ((Number) browser.script("return begun")).doubleValue();
  }

  private double shown() throws Exception {
    Object time = browser.scriptThatCalls("shown.then(arguments[0])");
    return ((Number) Objects.requireNonNull(time)).doubleValue();
  }

  /** Scrolls through all tasks to the end, and returns the durations of the frames. */
  private String scroll() throws Exception {
    byAddress(true);
    browser.script(
        "const show = document.querySelector('.tasks [name=sort]');"
            + "show.value = 'number'; show.dispatchEvent(new Event('input', {bubbles: true}));");
    browser.await("document.querySelectorAll('.tasks .items > li').length >= 100");
    browser.script(
        """
        const list = document.querySelector('.panel.tasks .items');
        window.frames_ = [];
        window.isThrough = false;
        let last = performance.now();
        const step = now => {
          frames_.push(now - last);
          last = now;
          list.scrollTop += 600;
          window.isThrough = list.children.length >= arguments[0]
            && list.scrollTop + list.clientHeight >= list.scrollHeight - 2;
          if (!isThrough) requestAnimationFrame(step);
        };
        requestAnimationFrame(step);
        """,
        TASKS);
    long until = System.nanoTime() + Duration.ofMinutes(5).toNanos();
    while (!Boolean.TRUE.equals(browser.script("return isThrough"))) {
      assertThat(System.nanoTime()).isLessThan(until);
      Thread.sleep(200);
    }
    try (Ralph ralph = Ralph.open(store)) {
      ralph.session("large").tasks().complete("t" + TASKS);
    }
    browser.await(
        "document.querySelector('.panel.tasks .items').lastElementChild.textContent"
            + ".includes('completed')");
    List<Double> frames =
        ((List<?>) browser.script("return frames_"))
            .stream()
                .map(each -> ((Number) each).doubleValue())
                .collect(Collectors.toCollection(ArrayList::new));
    return String.format(
        Locale.ROOT,
        "scrolled through all of them: frames of p50 %.1f ms, p99 %.1f ms",
        percentile(frames, 50),
        percentile(frames, 99));
  }

  private static void fill(Session session, int tasks, int iterations) {
    List<NewTask> all = new ArrayList<>();
    for (int i = 1; i <= tasks; i++) {
      NewTask task =
          NewTask.of("Write the form for case " + i + ", with a test of each field\n\nSee docs.");
      all.add(i > 500 && i % 4 == 0 ? task.dependsOn("t" + (i - 500)) : task);
    }
    for (int i = 0; i < tasks; i += 500) {
      session.tasks().addAll(all.subList(i, Math.min(tasks, i + 500)));
    }
    session
        .loop(
            turn -> {
              turn.record(RecordEntry.client("Scripted", "1", "none", List.of(), null));
              for (int call = 0; call < 8; call++) {
                turn.record(RecordEntry.text("I look at file " + call));
                turn.record(RecordEntry.toolCall("c" + call, "Bash", "{\"command\":\"make\"}"));
                turn.record(
                    RecordEntry.toolResult("c" + call, false, "Tests run: 12\n".repeat(20)));
                turn.output("Editing Form" + call + ".java");
              }
              turn.usage(Usage.of(12_000, 900, new BigDecimal("0.12")));
              turn.session().tasks().ready().stream()
                  .findFirst()
                  .ifPresent(task -> turn.session().tasks().complete(task.id()));
              return AgentResult.success().summary("Wrote a form");
            })
        .maxIterations(iterations)
        .doneWhen(now -> false)
        .run();
  }

  // ---- latency of updates

  @Test
  void appendedFrame_appearsWithinLimit() throws Exception {
    try (Ralph ralph = Ralph.open(store)) {
      Session session = ralph.session("auth");
      session.tasks().add("Write the form");
      serve();
      enter();
      browser.open(URI.create("about:blank"));
      browser.open(link.resolve("/#/auth"));
      browser.awaitText("Write the form");
      String measured = browser.tab();
      for (int i = 1; i < PAGES; i++) {
        browser.newTab();
        browser.open(link.resolve("/#/auth"));
        browser.awaitText("Write the form");
      }
      browser.switchTo(measured);
      browser.script(AGES);
      Random pauses = new Random(1);
      for (int i = 0; i < EVENTS; i++) {
        // A random delay, so that events are not synchronized with the screen.
        TimeUnit.MICROSECONDS.sleep(30_000 + pauses.nextInt(70_000));
        if (i % 2 == 0) {
          ralph.append(Topic.of("ralph.auth.output"), Meta.of("iteration", 1), now());
        } else {
          session.notes().add("learning", now());
        }
      }
    }
    browser.await("ages.length === " + EVENTS);
    List<Double> ages =
        ((List<?>) browser.script("return ages.slice(40)"))
            .stream()
                .map(each -> ((Number) each).doubleValue() / 1_000)
                .collect(Collectors.toCollection(ArrayList::new));
    browser.script(
        "window.bare = []; const step = i => { const begun = performance.now(); painted(() => {"
            + " bare.push(performance.now() - begun); if (i) setTimeout(() => step(i - 1), 37); });"
            + " }; step(200);");
    browser.await("bare.length === 201");
    List<Double> bare =
        ((List<?>) browser.script("return bare"))
            .stream()
                .map(each -> ((Number) each).doubleValue())
                .collect(Collectors.toCollection(ArrayList::new));
    keep(
        String.format(
            Locale.ROOT,
            "from just before the synced append to the screen, with %d open pages, ms;"
                + " beside it a change of the page alone",
            PAGES),
        String.format(
            Locale.ROOT,
            "p50 %.1f, p99 %.1f; p50 %.1f, p99 %.1f",
            percentile(ages, 50),
            percentile(ages, 99),
            percentile(bare, 50),
            percentile(bare, 99)));
    assertThat(percentile(ages, 50)).isLessThan(MOST.toMillis());
  }

  @Test
  void longOutput_blocksThePageShortly() throws Exception {
    int lines = 1_000;
    try (Ralph ralph = Ralph.open(store)) {
      ralph.session("auth").tasks().add("Write the form");
      serve();
      enter();
      browser.open(URI.create("about:blank"));
      browser.open(link.resolve("/#/auth"));
      browser.awaitText("Write the form");
      browser.script(BLOCKS);
      for (int from = 0; from < LINES; from += lines) {
        String text =
            IntStream.range(from, from + lines)
                .mapToObj(line -> "line " + line + " of the output of an agent while it works\n")
                .collect(Collectors.joining());
        Meta meta = Meta.of("iteration", 1).with("continues", true);
        ralph.append(Topic.of("ralph.auth.output"), meta, text);
      }
      browser.awaitText("line " + (LINES - 1) + " of the output");
    }
    double longest = ((Number) browser.script("return longest")).doubleValue();
    keep(
        String.format(Locale.ROOT, "%,d lines of output", LINES),
        String.format(Locale.ROOT, "longest block: %.0f ms (0: below 50)", longest));
    assertThat(longest).isLessThan(MOST.toMillis());
  }

  private static String now() {
    Instant now = Instant.now();
    return "at " + (now.getEpochSecond() * 1_000_000 + now.getNano() / 1_000);
  }

  // ---- figures

  private static String row(String what, List<Double> ours, List<Double> small) {
    return String.format(
        Locale.ROOT,
        "%s: median %.0f, longest %.0f; of 10 tasks and one iteration: %.0f, %.0f",
        what,
        median(ours),
        percentile(ours, 100),
        median(small),
        percentile(small, 100));
  }

  private static double median(List<Double> figures) {
    return percentile(figures, 50);
  }

  private static double percentile(List<Double> figures, int percent) {
    List<Double> sorted = figures.stream().sorted().toList();
    return sorted.get(Math.min(sorted.size() - 1, sorted.size() * percent / 100));
  }

  private static void keep(String title, String... rows) throws Exception {
    Path kept = Files.createDirectories(Path.of("target", "clients")).resolve("page.txt");
    String before = Files.exists(kept) ? Files.readString(kept) : "";
    Files.writeString(kept, before + title + "\n  " + String.join("\n  ", rows) + "\n");
  }
}
