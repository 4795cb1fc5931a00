package dev.ralph.cli;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.ObjectMapper;
import dev.ralph.cli.Checkout.Started;
import dev.ralph.web.Browser;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.net.URI;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.TimeUnit;
import java.util.stream.IntStream;
import org.assertj.core.api.InstanceOfAssertFactories;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** The page of a real {@code ralph serve}, with a loop in a separate process. */
@Tag("clients")
@Timeout(600)
class PageIT {

  /** Counts until the file {@code end} exists, and then writes the count into a file. */
  private static final String AGENT =
      """
      i=0
      while [ ! -e end ]; do i=$((i + 1)); echo "line $i."; sleep 0.1; done
      echo $i >counted
      """;

  /** Returns the numbers of the lines that the page shows, in their order. */
  private static final String LINES =
      "[...document.querySelector('.output').textContent.matchAll(/line (\\d+)\\./g)]"
          + ".map(found => Number(found[1]))";

  @TempDir Path folder;
  private Checkout checkout;
  private Process server;
  private URI link;
  private Started loop;
  private Browser browser;

  @BeforeEach
  void start() throws Exception {
    checkout = Checkout.shared(folder).with("RALPH_SESSION", "auth");
    checkout.file("agent.sh", AGENT);
    checkout.ralph("task", "add", "--create", "Write the form");
    loop = checkout.start("build", "-p", "x", "-i", "1", "--agent", "sh agent.sh");
    browser = new Browser();
    browser.window(1280, 900, false, 1);
  }

  @AfterEach
  void clear() throws Exception {
    browser.close();
    checkout.clear();
    assertThat(checkout.left()).isEmpty();
  }

  /** Starts the server, and returns its port. */
  private int serve(int port) throws Exception {
    server = checkout.talkTo("serve", "--json", "--port", String.valueOf(port));
    String said = server.inputReader(StandardCharsets.UTF_8).readLine();
    link = URI.create(new ObjectMapper().readTree(said).path("link").asText());
    return link.getPort();
  }

  private void open(int port) throws Exception {
    browser.open(
        URI.create("http://127.0.0.1:" + port + link.getPath() + "#" + link.getFragment()));
    browser.click("a.card[href='#/auth']");
    browser.awaitText("line 3.");
  }

  @Test
  void killedServer_pageContinuesAfterRestart() throws Exception {
    int port = serve(0);
    open(port);
    browser.type(".messages textarea", "Do the API first");
    browser.type(".tasks textarea", "Half a thou");

    kill(server);
    browser.awaitText("not connected");
    browser.click(".messages button[type=submit]");
    browser.await("document.querySelector('.toast.bad:not([hidden])')");
    serve(port);
    browser.awaitText("a new link"); // A restart of the server invalidates all keys.
    browser.open(link);
    browser.await("document.querySelector('#link').textContent === 'live'");

    browser.click(".messages button[type=submit]");
    browser.awaitText("Sent as m1");
    browser.type(".tasks textarea", "ght");
    browser.click(".tasks button[type=submit]");
    browser.awaitText("Added as t2");
    assertThat(checkout.json("tasks").toString()).containsOnlyOnce("Half a thought");
    assertThat(checkout.json("inbox", "--all").toString()).containsOnlyOnce("Do the API first");
    assertEachLineOnce();
  }

  @Test
  void stoppedServer_isNamedUntilItContinues() throws Exception {
    open(serve(0));
    String link = "document.querySelector('#link').textContent";
    browser.await(link + " === 'live'");

    signal(server, "STOP");
    try {
      browser.await(link + ".startsWith('not connected (the server does not answer)')");
      browser.type(".messages textarea", "Do the API first");
      browser.click(".messages button[type=submit]");
      browser.awaitText("The server did not answer within 8 s");
      browser.await("document.querySelector('.messages textarea').value === 'Do the API first'");
    } finally {
      signal(server, "CONT");
    }
    browser.await(link + " === 'live'");

    // The server may have received the first attempt. The second attempt has the same idempotency
    // key.
    browser.click(".messages button[type=submit]");
    browser.awaitText("Sent as m1");
    assertThat(checkout.json("inbox", "--all").toString()).containsOnlyOnce("Do the API first");
    assertEachLineOnce();
  }

  private static void signal(Process process, String name) throws Exception {
    Process kill =
        new ProcessBuilder("kill", "-" + name, String.valueOf(process.pid())).inheritIO().start();
    assertThat(kill.waitFor()).isZero();
  }

  /** The server notices the end of the connection, but the browser does not. */
  @Test
  void sleepingMachine_pageContinuesAfterwards() throws Exception {
    try (Line line = new Line(serve(0))) {
      open(line.port());
      browser.type(".tasks textarea", "Half a thou");
      browser.signal("STOP");
      try {
        line.goDead();
        TimeUnit.SECONDS.sleep(12);
      } finally {
        browser.signal("CONT");
      }

      assertEachLineOnce();
      browser.type(".tasks textarea", "ght");
      browser.click(".tasks button[type=submit]");
      browser.awaitText("Added as t2");
      assertThat(checkout.json("tasks").toString()).containsOnlyOnce("Half a thought");
    }
  }

  /** Ends the agent, and asserts that the page shows each line of its output once and in order. */
  private void assertEachLineOnce() throws Exception {
    checkout.file("end", "");
    assertThat(loop.exit().code()).as("iteration limit reached").isEqualTo(3);
    int counted = Integer.parseInt(Files.readString(checkout.work().resolve("counted")).strip());
    browser.awaitText("line " + counted + ".");
    assertThat(browser.script("return " + LINES))
        .asInstanceOf(InstanceOfAssertFactories.LIST)
        .extracting(each -> ((Number) each).intValue())
        .isEqualTo(IntStream.rangeClosed(1, counted).boxed().toList());
    assertThat(browser.script("return location.hash")).isEqualTo("#/auth");
  }

  private static void kill(Process server) throws InterruptedException {
    server.destroyForcibly();
    assertThat(server.waitFor(1, TimeUnit.MINUTES)).isTrue();
  }

  /** A proxy between a browser and the server, which can stop forwarding. */
  private static final class Line implements AutoCloseable {

    private final ServerSocket socket = new ServerSocket(0, 0, InetAddress.getLoopbackAddress());
    private final Set<Socket> browsers = ConcurrentHashMap.newKeySet();
    private final Set<Socket> servers = ConcurrentHashMap.newKeySet();
    private final Set<Socket> dead = ConcurrentHashMap.newKeySet();

    Line(int target) throws IOException {
      inBackground(
          () -> {
            while (true) {
              Socket browser = socket.accept();
              Socket server = new Socket(InetAddress.getLoopbackAddress(), target);
              browsers.add(browser);
              servers.add(server);
              inBackground(() -> copy(browser, server));
              inBackground(() -> copy(server, browser));
            }
          });
    }

    private interface Work {
      void run() throws IOException;
    }

    private static void inBackground(Work work) {
      Thread thread =
          new Thread(
              () -> {
                try {
                  work.run();
                } catch (IOException closed) {
                  // closed by the test, the browser or the server
                }
              });
      thread.setDaemon(true);
      thread.start();
    }

    private void copy(Socket from, Socket to) throws IOException {
      try (InputStream in = from.getInputStream()) {
        OutputStream out = to.getOutputStream();
        byte[] some = new byte[8192];
        for (int length = in.read(some); length >= 0; length = in.read(some)) {
          out.write(some, 0, length);
        }
      } finally {
        if (!dead.contains(to)) {
          to.close();
        }
      }
    }

    int port() {
      return socket.getLocalPort();
    }

    void goDead() throws IOException {
      dead.addAll(browsers);
      for (Socket each : servers) {
        each.close();
      }
    }

    @Override
    public void close() throws IOException {
      socket.close();
      for (Socket each : List.copyOf(browsers)) {
        each.close();
      }
    }
  }
}
