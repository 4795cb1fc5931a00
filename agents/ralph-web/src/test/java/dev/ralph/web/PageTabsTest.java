package dev.ralph.web;

import static java.util.stream.Collectors.joining;
import static org.assertj.core.api.Assertions.assertThat;

import dev.ralph.Ralph;
import dev.ralph.log.Meta;
import dev.ralph.log.Topic;
import java.io.IOException;
import java.net.URI;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.stream.IntStream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** Many tabs of one Chromium, with a server that hangs, is killed or refuses requests. */
@Tag("clients")
class PageTabsTest {

  private static final int TABS = 12;

  private final Ralph ralph = Ralph.inMemory();
  private RalphServer server;
  private PausingProxy proxy;
  private Browser browser;

  @BeforeEach
  void start() throws Exception {
    for (int i = 1; i <= TABS; i++) {
      ralph.session("s" + i).tasks().add("Write part " + i);
    }
    server = RalphServer.builder(ralph).build();
    server.start();
    proxy = new PausingProxy(server.address().getPort());
    browser = new Browser();
    browser.window(1280, 900, false, 1);
  }

  @AfterEach
  void close() throws Exception {
    try {
      browser.close();
    } finally {
      proxy.close();
      server.close();
      ralph.close();
    }
  }

  private void enter() throws Exception {
    URI link = server.link("ann");
    browser.open(
        new URI(
            link.getScheme(),
            null,
            link.getHost(),
            proxy.port(),
            link.getPath(),
            null,
            link.getFragment()));
    browser.awaitText("Sessions");
    browser.await("document.querySelector('.card')");
  }

  private void openSession(int number) throws Exception {
    browser.open(URI.create("http://127.0.0.1:" + proxy.port() + "/#/s" + number));
    browser.awaitText("Write part " + number);
    browser.await("document.getElementById('link').textContent === 'live'");
  }

  private List<String> openTabs() throws Exception {
    List<String> tabs = new ArrayList<>();
    for (int i = 1; i <= TABS; i++) {
      tabs.add(i == 1 ? browser.tab() : browser.newTab());
      openSession(i);
    }
    return tabs;
  }

  /** Asserts that the tab of each session shows a new note and that requests succeed. */
  private void requireUpdates(List<String> tabs, int from, String text) throws Exception {
    for (int i = from; i <= tabs.size(); i++) {
      ralph.session("s" + i).notes().add("learning", text + i);
    }
    for (int i = from; i <= tabs.size(); i++) {
      browser.switchTo(tabs.get(i - 1));
      browser.await(
          "document.querySelector('.notes .items').textContent.includes('" + text + i + "')");
    }
    browser.type(".messages textarea", text);
    browser.click(".messages [type=submit]");
    browser.awaitText("Sent as m");
  }

  // ---- many tabs

  @Test
  void twelveTabs_shareSingleStream() throws Exception {
    enter();
    List<String> tabs = openTabs();
    requireUpdates(tabs, 1, "first ");

    browser.switchTo(tabs.get(0));
    browser.closeTab(); // This tab holds the stream, because it was opened first.
    browser.switchTo(tabs.get(11));
    requireUpdates(tabs, 2, "second ");
    assertThat(proxy.connections()).isLessThanOrEqualTo(6);
  }

  @Test
  void tabsOfSession_showEqualContent() throws Exception {
    enter();
    List<String> tabs = new ArrayList<>();
    for (int i = 0; i < 3; i++) {
      tabs.add(i == 0 ? browser.tab() : browser.newTab());
      openSession(1);
    }
    ralph.session("s1").notes().add("learning", "seen by all");
    for (String tab : tabs) {
      browser.switchTo(tab);
      browser.await("document.querySelector('.notes .items').textContent.includes('seen by all')");
    }
    browser.click(".home");
    browser.await("document.querySelectorAll('.card').length === " + TABS);
    ralph.session("new").tasks().add("Something");
    browser.await("document.querySelectorAll('.card').length === " + (TABS + 1));
  }

  @Test
  void withoutLocks_eachVisibleTabHasItsStream() throws Exception {
    enter();
    List<String> tabs = new ArrayList<>();
    for (int i = 1; i <= TABS; i++) {
      tabs.add(i == 1 ? browser.tab() : browser.newTab());
      browser.devtools(
          "Page.addScriptToEvaluateOnNewDocument",
          Meta.of(
              "source", "Object.defineProperty(Navigator.prototype, 'locks', {value: undefined})"));
      browser.open(URI.create("about:blank"));
      openSession(i);
      assertThat(browser.script("return navigator.locks === undefined")).isEqualTo(true);
    }
    requireUpdates(tabs, 1, "alone ");
  }

  @Test
  void hangingLeadingTab_isReplaced() throws Exception {
    enter();
    openSession(1);
    String leading = browser.tab();
    String other = browser.newTab();
    openSession(2);
    // A dialog blocks the leading tab, for example the confirmation before a loop is stopped.
    browser.switchTo(leading);
    browser.script("setTimeout(() => confirm('Stop?'))");
    browser.switchTo(other);
    ralph.session("s2").notes().add("learning", "still live");
    browser.await("document.querySelector('.notes .items').textContent.includes('still live')");
  }

  @Test
  void lockThatIsNotGranted_doesNotDelayThePage() throws Exception {
    enter();
    browser.devtools(
        "Page.addScriptToEvaluateOnNewDocument",
        Meta.of("source", "LockManager.prototype.request = () => new Promise(() => {})"));
    browser.open(URI.create("about:blank"));
    openSession(2);
    ralph.session("s2").notes().add("learning", "read at once");
    browser.await("document.querySelector('.notes .items').textContent.includes('read at once')");
  }

  @Test
  void hiddenTab_losesNoUpdate() throws Exception {
    enter();
    openSession(1);
    String hidden = browser.tab();
    browser.newTab();
    openSession(2);
    for (int i = 1; i <= 60; i++) {
      ralph.append(Topic.of("ralph.s1.output"), Meta.of("iteration", 1), "line " + i + ".");
      ralph.session("s1").notes().add("learning", "Note " + i + ".");
      ralph.session("s1").questions().ask("Question " + i + "?", "claude", 1);
      TimeUnit.MILLISECONDS.sleep(40); // The server would combine faster updates.
    }
    browser.switchTo(hidden);
    browser.await("document.title.startsWith('(60) ')");
    browser.await("document.querySelector('.notes .number').textContent === '60'");
    browser.await("document.querySelector('.output').textContent.includes('line 60.')");
    assertThat(
            browser.script(
                "return [...document.querySelector('.output').textContent.matchAll(/line (\\d+)\\./g)]"
                    + ".map(found => Number(found[1])).join()"))
        .isEqualTo(IntStream.rangeClosed(1, 60).mapToObj(String::valueOf).collect(joining(",")));
  }

  // ---- unresponsive servers

  @Test
  void hangingServer_isNamedAndRequestsTimeOut() throws Exception {
    enter();
    openSession(1);
    String leading = browser.tab();
    String other = browser.newTab();
    openSession(2);
    proxy.pause();

    browser.await("document.getElementById('link').textContent.includes('does not answer')");
    browser.type(".messages textarea", "Is anybody there?");
    browser.click(".messages [type=submit]");
    browser.awaitText("The server did not answer within 8 s");
    assertThat(browser.script("return document.querySelector('.messages textarea').value"))
        .isEqualTo("Is anybody there?");
    browser.switchTo(leading);
    browser.await("document.getElementById('link').textContent.includes('does not answer')");

    proxy.resume();
    browser.await("document.getElementById('link').textContent === 'live'");
    ralph.session("s1").notes().add("learning", "after the pause");
    browser.await(
        "document.querySelector('.notes .items').textContent.includes('after the pause')");
    browser.switchTo(other);
    browser.await("document.getElementById('link').textContent === 'live'");
  }

  @Test
  void killedServer_isNamedUntilRestart() throws Exception {
    enter();
    openSession(1);
    proxy.kill();
    browser.await(
        "document.getElementById('link').textContent"
            + " === 'not connected (the server cannot be reached); trying again'");
    browser.type(".messages textarea", "Is anybody there?");
    browser.click(".messages [type=submit]");
    browser.awaitText("The server cannot be reached");

    proxy.restart();
    browser.await("document.getElementById('link').textContent === 'live'");
    browser.click(".messages [type=submit]");
    browser.awaitText("Sent as m1");
  }

  // ---- refusing servers

  @Test
  void tooManyStreamsOfAToken_reasonIsShown() throws Exception {
    enter();
    String key = (String) browser.script("return localStorage.getItem('ralph.key /')");
    browser.open(URI.create("about:blank"));

    requireRefusal(takeStreams(List.of(key)), "this token has 16 event streams, the limit");
  }

  @Test
  void tooManyStreamsOfTheServer_reasonIsShown() throws Exception {
    enter();
    browser.open(URI.create("about:blank"));
    List<String> tokens = new ArrayList<>();
    for (int i = 0; i < 16; i++) {
      tokens.add(server.token("program-" + i));
    }

    requireRefusal(takeStreams(tokens), "too many pages are open (256)");
  }

  /** Opens all streams that the server accepts: 16 for each token. */
  private List<LivePage.Listening> takeStreams(List<String> tokens) throws Exception {
    List<LivePage.Listening> streams = new ArrayList<>();
    for (String token : tokens) {
      LivePage client = new LivePage(server, token);
      long until = System.nanoTime() + TimeUnit.MINUTES.toNanos(1);
      for (int open = 0; open < 16; ) {
        try {
          streams.add(client.listen(""));
          open++;
        } catch (IOException refused) {
          // The server detects the closed stream of the browser by its next heartbeat.
          assertThat(System.nanoTime()).as(refused.getMessage()).isLessThan(until);
          TimeUnit.MILLISECONDS.sleep(50);
        }
      }
    }
    return streams;
  }

  /** Opens the page of a session, whose stream is refused until another stream is closed. */
  private void requireRefusal(List<LivePage.Listening> streams, String reason) throws Exception {
    try {
      browser.open(URI.create("http://127.0.0.1:" + proxy.port() + "/#/s1"));
      browser.await(
          "document.getElementById('link').textContent.includes('not connected (" + reason + "')");
      streams.remove(0).close();
      browser.awaitText("Write part 1");
      browser.await("document.getElementById('link').textContent === 'live'");
    } finally {
      for (LivePage.Listening each : streams) {
        each.close();
      }
    }
  }

  @Test
  void unknownSession_isNamed() throws Exception {
    enter();
    for (String name : List.of("nosuch", "%25", "a%20b", "a,b")) {
      browser.script("location.hash = '#/' + arguments[0]", name);
      browser.awaitText("Page not found");
      assertThat(browser.script("return document.getElementById('main').innerText"))
          .asString()
          .containsPattern("no session|name");
      browser.click("#main a");
      browser.await("document.querySelector('.card')");
    }
  }
}
