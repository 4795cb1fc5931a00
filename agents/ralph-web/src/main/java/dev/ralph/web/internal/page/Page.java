package dev.ralph.web.internal.page;

import dev.ralph.Ralph;
import dev.ralph.Session;
import dev.ralph.log.Frame;
import dev.ralph.log.FrameCursor;
import dev.ralph.log.Meta;
import dev.ralph.log.Query;
import dev.ralph.log.RalphException;
import dev.ralph.log.Topic;
import dev.ralph.log.TopicFilter;
import dev.ralph.web.internal.access.TokenAuthenticator;
import dev.ralph.web.internal.http.EventStream;
import dev.ralph.web.internal.http.Exchange;
import dev.ralph.web.internal.http.HttpFailure;
import dev.ralph.web.internal.http.Router;
import java.io.IOException;
import java.net.URLDecoder;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.time.Instant;
import java.time.format.DateTimeParseException;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.Semaphore;
import java.util.concurrent.TimeUnit;
import java.util.function.Function;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * Serves the live page of a store: scripts and styles, data of sessions, and orders of visitors.
 */
public final class Page implements AutoCloseable {

  private static final String SESSION = "/api/sessions/{session}";

  /** The name of the feed of all sessions, which is no valid session name. */
  private static final String ALL = "";

  private static final int MOST_FEEDS = 64;

  private static final int MOST_ASKED = 1 << 24;

  /** The most requests that run Git at once, and the longest wait of further requests, in s. */
  private static final int MOST_COMPARISONS = 6;

  private static final int LONGEST_WAIT = 5;

  /** The modules of the page, in the order of their imports. */
  static final List<String> MODULES =
      List.of(
          "dom",
          "figures",
          "output",
          "drafts",
          "forms",
          "tabs",
          "state",
          "notify",
          "frame",
          "pane",
          "lists",
          "review",
          "entries",
          "needs",
          "tasks",
          "parts",
          "search",
          "past",
          "story",
          "talk",
          "overview",
          "session",
          "keys",
          "page");

  private final Ralph ralph;
  private final PageFeeds feeds;
  private final BranchReview review;
  private final Semaphore comparisons = new Semaphore(MOST_COMPARISONS);

  /**
   * Creates a page.
   *
   * @param ralph the store, which is not closed with this object
   * @param repository a folder of the repository whose commits are shown, or null for none
   */
  public Page(Ralph ralph, @Nullable Path repository) {
    this.ralph = ralph;
    this.review = new BranchReview(repository);
    this.feeds = new PageFeeds(ralph.log());
  }

  /** Adds all routes of the page. */
  public void addTo(Router router) {
    router.file("/", Page.class, "page.html", "text/html; charset=utf-8");
    router.file("/page.css", Page.class, "page.css", "text/css; charset=utf-8");
    ScriptBundle scripts = new ScriptBundle().add(TokenAuthenticator.class, "transport");
    MODULES.forEach(module -> scripts.add(Page.class, module));
    router.file("/page.js", scripts.bytes(), "text/javascript; charset=utf-8");
    router.get("/api/hello", exchange -> exchange.json(200, hello(exchange)));
    router.get("/api/feeds", this::feeds);
    router.get(SESSION + "/span", this::span);
    router.get(SESSION + "/at", this::at);
    router.get(SESSION + "/changes", this::changes);
    router.get(SESSION + "/search", this::search);
    router.get(SESSION + "/record/{n}", this::record);
    router.get(
        SESSION + "/review", exchange -> compare(exchange, s -> review.of(s, compared(exchange))));
    router.get(
        SESSION + "/review/file",
        exchange ->
            compare(exchange, s -> review.file(s, compared(exchange), required(exchange, "path"))));
    router.get(SESSION + "/list/{list}", this::list);
    router.get(SESSION + "/list/{list}/{ref}", this::whole);
    router.post(SESSION + "/orders", this::order);
  }

  @Override
  public void close() {
    feeds.close();
  }

  // ---- streams

  /**
   * Sends the feeds in {@code names}: encoded and separated by commas; an empty name for all
   * sessions.
   */
  private void feeds(Exchange exchange) throws IOException {
    String[] names = required(exchange, "names").split(",", -1);
    if (names.length > MOST_FEEDS) {
      throw RalphException.invalid(
          "one stream carries at most " + MOST_FEEDS + " feeds, not " + names.length);
    }
    Meta hello = hello(exchange);
    EventStream stream = exchange.events();
    stream.send(null, "hello", hello.json());
    SharedStream shared = new SharedStream(stream);
    for (String encoded : new LinkedHashSet<>(List.of(names))) {
      String name = decoded(encoded);
      try {
        shared.add(feeds, name, source(name));
      } catch (RalphException e) {
        shared.refuse(name, e.getMessage());
      }
    }
  }

  private static String decoded(String name) {
    try {
      return URLDecoder.decode(name, StandardCharsets.UTF_8);
    } catch (IllegalArgumentException e) {
      return name; // the name of a session contains no percent sign
    }
  }

  private Supplier<FeedSource> source(String name) {
    if (name.equals(ALL)) {
      return () -> new OverviewSource(ralph);
    }
    Session session = known(name);
    return () -> new SessionSource(ralph, session);
  }

  /** Returns the visitor and the server's time. */
  private static Meta hello(Exchange exchange) {
    return Meta.of("now", PageJson.time(Instant.now()))
        .with("visitor", exchange.visitor().name())
        .with("read_only", exchange.visitor().readOnly());
  }

  // ---- requests

  private Session session(Exchange exchange) {
    return known(exchange.parameter("session"));
  }

  private Session known(String name) {
    Session session = ralph.session(name);
    if (!ralph.hasSession(name)) {
      throw RalphException.notFound("no session " + RalphException.quote(name));
    }
    return session;
  }

  /** Sends the time of the session's first frame. */
  private void span(Exchange exchange) throws IOException {
    Session session = session(exchange);
    try (FrameCursor cursor = ralph.log().read(Query.of(filter(session)).limit(1))) {
      Frame first = cursor.next();
      Instant begin = first == null ? session.clock().instant() : first.time();
      exchange.json(200, Meta.of("first", PageJson.time(begin)));
    }
  }

  private static TopicFilter filter(Session session) {
    return TopicFilter.parse("ralph." + session.name() + ".*");
  }

  private void at(Exchange exchange) throws IOException {
    Session session = session(exchange);
    Instant time = time(exchange);
    RefusedCompletions.Result refusals =
        ralph
            .view(Topic.of("ralph." + session.name()).child("control"), RefusedCompletions.FOLD)
            .at(time);
    SessionParts parts = new SessionParts(session.at(time));
    Meta all = Meta.empty();
    for (SessionParts.Part part : SessionParts.Part.values()) {
      if (!part.isOf("record") || part == SessionParts.Part.ITERATIONS) {
        all = all.with(part.key(), parts.of(part, refusals, null, time));
      }
    }
    exchange.json(200, Meta.of("parts", all).with("time", PageJson.time(time)));
  }

  private void changes(Exchange exchange) throws IOException {
    exchange.json(200, Changes.since(session(exchange), time(exchange)));
  }

  private static Instant time(Exchange exchange) {
    String time = required(exchange, "time");
    try {
      return Instant.parse(time);
    } catch (DateTimeParseException e) {
      throw RalphException.invalid(
          "the time must look like 2026-01-31T09:05:00Z, not " + RalphException.quote(time));
    }
  }

  private void search(Exchange exchange) throws IOException {
    exchange.json(
        200, new PageLists(session(exchange)).found(required(exchange, "q"), from(exchange)));
  }

  private void record(Exchange exchange) throws IOException {
    int number = number(exchange.parameter("n"));
    boolean withPrompt = exchange.query("prompt") != null;
    Session session = session(exchange);
    boolean withOutput = exchange.query("output") != null;
    Meta window = RecordWindow.of(session, number, from(exchange), withPrompt, withOutput);
    exchange.json(200, window.with("iteration", new PageLists(session).iteration(number)));
  }

  /** Returns the task or the number of the iteration to review, or null for the whole branch. */
  private static @Nullable String compared(Exchange exchange) {
    String task = exchange.query("task");
    return task == null ? exchange.query("iteration") : task;
  }

  /** Sends differences of commits. The number of requests that run Git at once is limited. */
  private void compare(Exchange exchange, Function<Session, Meta> compared) throws IOException {
    Session session = session(exchange);
    Meta differences;
    try {
      if (!comparisons.tryAcquire(LONGEST_WAIT, TimeUnit.SECONDS)) {
        throw new HttpFailure(429, "too many differences are read at once; try again");
      }
    } catch (InterruptedException closed) {
      Thread.currentThread().interrupt();
      throw new HttpFailure(503, "the server is closing");
    }
    try {
      differences = compared.apply(session);
    } finally {
      comparisons.release();
    }
    exchange.json(200, differences);
  }

  private void list(Exchange exchange) throws IOException {
    PageLists lists = new PageLists(session(exchange));
    String list = exchange.parameter("list");
    int from = from(exchange);
    int limit = number(optional(exchange, "limit", "100"));
    exchange.json(
        200,
        switch (list) {
          case "tasks" -> lists.tasks(filter(exchange), from, limit);
          case "iterations" -> lists.iterations(null, from, limit);
          default -> lists.others(list, from, limit);
        });
  }

  private static TaskFilter filter(Exchange exchange) {
    return new TaskFilter(
        optional(exchange, "status", "all"),
        optional(exchange, "agent", ""),
        optional(exchange, "text", ""),
        optional(exchange, "touches", ""),
        optional(exchange, "sort", "number"));
  }

  private static String optional(Exchange exchange, String name, String otherwise) {
    return Objects.requireNonNullElse(exchange.query(name), otherwise);
  }

  private void whole(Exchange exchange) throws IOException {
    exchange.json(
        200,
        new PageLists(session(exchange))
            .whole(exchange.parameter("list"), exchange.parameter("ref")));
  }

  private static int from(Exchange exchange) {
    return number(optional(exchange, "from", "0"));
  }

  private static int number(String text) {
    try {
      int number = Integer.parseInt(text);
      if (number >= 0 && number <= MOST_ASKED) {
        return number;
      }
    } catch (NumberFormatException e) {
      // reported below
    }
    throw RalphException.invalid("invalid number: " + RalphException.quote(text));
  }

  private static String required(Exchange exchange, String name) {
    String value = exchange.query(name);
    if (value == null) {
      throw RalphException.invalid("the address lacks ?" + name + "=");
    }
    return value;
  }

  // ---- orders

  private void order(Exchange exchange) throws IOException {
    Meta order = exchange.body();
    exchange.json(
        200, new PageOrders(ralph, session(exchange), exchange.visitor().name()).execute(order));
  }
}
