package dev.ralph.benchmarks;

import dev.ralph.Claim;
import dev.ralph.Ralph;
import dev.ralph.Session;
import dev.ralph.benchmarks.Report.Goal;
import dev.ralph.log.Batch;
import dev.ralph.log.Draft;
import dev.ralph.log.Follower;
import dev.ralph.log.Frame;
import dev.ralph.log.FrameCursor;
import dev.ralph.log.Meta;
import dev.ralph.log.Position;
import dev.ralph.log.Query;
import dev.ralph.log.RalphException;
import dev.ralph.log.Topic;
import dev.ralph.log.TopicFilter;
import dev.ralph.spi.FrameStore;
import dev.ralph.spi.StoreConfig;
import dev.ralph.store.postgres.PostgresStoreProvider;
import java.nio.charset.StandardCharsets;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collections;
import java.util.List;
import java.util.UUID;
import java.util.concurrent.Callable;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;

/**
 * Compares the PostgreSQL store with plain JDBC on the same server, on a table of equal width with
 * equal indexes. Both use their own schema, dropped at the end.
 */
final class PostgresSpeed implements AutoCloseable {

  private static final String SCHEMA = "ralph_benchmarks";
  private static final String BARE = "ralph_benchmarks_bare";
  private static final int THREADS = 32;
  private static final int SCOPES = 8;
  private static final int BATCH = 100;
  private static final int AGENTS = 32;
  private static final int PAGE = 2_048;
  private static final int FOLLOWERS = 100;
  private static final String CONTENT = "Do the API first, please. ".repeat(4);
  private static final String META = "{\"status\":\"unread\",\"by\":\"benchmark\"}";

  private final String address;
  private final String url;
  private final Sizes sizes;
  private final Report report;
  private final Connection connection;

  PostgresSpeed(String server, Sizes sizes, Report report) throws SQLException {
    this.address = server + (server.contains("?") ? "&" : "?") + "schema=" + SCHEMA;
    String user = server.replaceFirst("postgres://(?:([^@]*)@)?.*", "$1");
    String host = server.replaceFirst("postgres://(?:[^@]*@)?", "");
    this.url = "jdbc:postgresql://" + host + (host.contains("?") ? "&" : "?") + "user=" + user;
    this.sizes = sizes;
    this.report = report;
    this.connection = DriverManager.getConnection(url);
    drop();
    execute("create schema " + BARE);
    execute(
        "create table "
            + BARE
            + ".frame (position bigint generated always as identity primary key, scope int not"
            + " null, topic text not null, id text not null unique, time bigint not null, meta text"
            + " not null, content bytea not null, erased boolean not null default false)");
    execute("create index frame_scope on " + BARE + ".frame (scope, position)");
  }

  private void execute(String sql) throws SQLException {
    try (Statement statement = connection.createStatement()) {
      statement.execute(sql);
    }
  }

  private void drop() throws SQLException {
    execute("drop schema if exists " + SCHEMA + " cascade");
    execute("drop schema if exists " + BARE + " cascade");
  }

  private FrameStore open() {
    return new PostgresStoreProvider().open(StoreConfig.at(address));
  }

  void measure() throws SQLException, InterruptedException {
    append();
    agents();
    follow();
    followers();
    grow();
    fold();
  }

  // ---- appends

  /** The repeated work of a thread; returns the number of written frames. */
  private interface Writer extends AutoCloseable {
    int write() throws SQLException;

    @Override
    void close() throws SQLException;
  }

  private static final class StoreWriter implements Writer {
    private final FrameStore store;
    private final boolean isOwn;
    private final List<Draft> drafts;

    StoreWriter(FrameStore store, boolean isOwn, int scope, int frames) {
      this.store = store;
      this.isOwn = isOwn;
      Draft draft = Draft.of(topic(scope), Meta.stored(META), CONTENT);
      this.drafts = Collections.nCopies(frames, draft);
    }

    @Override
    public int write() {
      store.append(Batch.of(UUID.randomUUID().toString(), drafts));
      return drafts.size();
    }

    @Override
    public void close() {
      if (isOwn) {
        store.close();
      }
    }
  }

  private final class BareWriter implements Writer {
    private final Connection own = DriverManager.getConnection(url);
    private final int scope;
    private final int frames;
    private final PreparedStatement insert;

    BareWriter(int scope, int frames) throws SQLException {
      this.scope = scope;
      this.frames = frames;
      String into = "insert into " + BARE + ".frame (scope, topic, id, time, meta, content) ";
      this.insert =
          own.prepareStatement(
              into
                  + (frames == 1
                      ? "values (?, ?, ?, ?, ?, ?) returning position"
                      : "select * from unnest(?::int[], ?::text[], ?::text[], ?::bigint[],"
                          + " ?::text[], ?::bytea[]) returning position"));
    }

    @Override
    public int write() throws SQLException {
      byte[] content = CONTENT.getBytes(StandardCharsets.UTF_8);
      if (frames == 1) {
        insert.setInt(1, scope);
        insert.setString(2, topic(scope).name());
        insert.setString(3, UUID.randomUUID().toString());
        insert.setLong(4, System.currentTimeMillis());
        insert.setString(5, META);
        insert.setBytes(6, content);
      } else {
        String[] ids = new String[frames];
        for (int i = 0; i < frames; i++) {
          ids[i] = UUID.randomUUID().toString();
        }
        set(1, "int4", scope);
        set(2, "text", topic(scope).name());
        insert.setArray(3, own.createArrayOf("text", ids));
        set(4, "int8", System.currentTimeMillis());
        set(5, "text", META);
        byte[][] contents = new byte[frames][];
        Arrays.fill(contents, content);
        insert.setArray(6, own.createArrayOf("bytea", contents));
      }
      try (ResultSet row = insert.executeQuery()) {
        while (row.next()) {
          row.getLong(1);
        }
      }
      return frames;
    }

    private void set(int at, String type, Object value) throws SQLException {
      Object[] all = Collections.nCopies(frames, value).toArray();
      insert.setArray(at, own.createArrayOf(type, all));
    }

    @Override
    public void close() throws SQLException {
      own.close();
    }
  }

  private static Topic topic(int scope) {
    return Topic.of("ralph.s" + scope + ".inbox");
  }

  private interface Writers {
    Writer of(int number) throws SQLException;
  }

  private void append() throws SQLException, InterruptedException {
    try (FrameStore store = open()) {
      compare(
          "postgres: append one frame to one scope, 32 threads, against as many connections",
          THREADS,
          number -> new StoreWriter(store, false, 0, 1),
          number -> new BareWriter(0, 1),
          Goal.atLeast(1.5));
    }
    compare(
        "postgres: append one frame, 8 stores on 8 scopes, against 8 connections",
        SCOPES,
        number -> new StoreWriter(open(), true, number, 1),
        number -> new BareWriter(number, 1),
        Goal.atLeast(0.4));
    compare(
        "postgres: append batches of 100, 8 stores on 8 scopes, against unnest",
        SCOPES,
        number -> new StoreWriter(open(), true, number, BATCH),
        number -> new BareWriter(number, BATCH),
        Goal.atLeast(0.8));
  }

  private void compare(String name, int threads, Writers ours, Writers bare, Goal goal)
      throws SQLException, InterruptedException {
    Benchmarks.progress(name);
    Measured measured = Measured.of();
    Measured baseline = Measured.of();
    int warmup = -sizes.warmups();
    for (int i = warmup; i < sizes.rounds() * sizes.iterations(); i++) {
      double rate = rate(threads, ours);
      double bareRate = rate(threads, bare);
      if (i >= 0) {
        measured = measured.and(Measured.of(rate));
        baseline = baseline.and(Measured.of(bareRate));
      }
    }
    report.add(name, "frames/s", measured, baseline, goal);
  }

  /** Returns the total rate of several threads in frames per second. */
  private double rate(int threads, Writers writers) throws SQLException, InterruptedException {
    List<Writer> all = new ArrayList<>();
    ExecutorService executor = Executors.newFixedThreadPool(threads);
    try {
      for (int i = 0; i < threads; i++) {
        all.add(writers.of(i));
        all.get(i).write();
      }
      long from = System.nanoTime();
      long until = from + sizes.iterationMillis() * 1_000_000L;
      List<Callable<Long>> tasks = new ArrayList<>();
      for (Writer writer : all) {
        tasks.add(
            () -> {
              long frames = 0;
              while (System.nanoTime() - until < 0) {
                frames += writer.write();
              }
              return frames;
            });
      }
      long frames = 0;
      for (Future<Long> each : executor.invokeAll(tasks)) {
        frames += each.get();
      }
      return frames / ((System.nanoTime() - from) / 1e9);
    } catch (ExecutionException e) {
      throw new IllegalStateException(e);
    } finally {
      executor.shutdownNow();
      for (Writer writer : all) {
        writer.close();
      }
    }
  }

  // ---- agents

  /** The calls of an agent on its session for each task. */
  private static final class AgentAtWork implements Writer {
    private final Ralph ralph;
    private final Session session;

    AgentAtWork(Ralph ralph, int number) {
      this.ralph = ralph;
      this.session = ralph.session("agent" + number);
    }

    @Override
    public int write() {
      session.tasks().add("Fix the login");
      Claim claim = session.tasks().claimNext("agent", Duration.ofMinutes(5)).orElseThrow();
      session.inbox().send("Do the API first, please");
      String message = session.inbox().unread().get(0).id();
      session.inbox().markRead(message);
      session.notes().add("learning", CONTENT);
      session.tasks().complete(claim.taskId());
      return 1;
    }

    @Override
    public void close() {
      ralph.close();
    }
  }

  /** Measures agents with separate clients, as on separate machines. */
  private void agents() throws SQLException, InterruptedException {
    Measured measured = Measured.of();
    for (int i = -sizes.warmups(); i < sizes.rounds() * sizes.iterations(); i++) {
      double rate = rate(AGENTS, number -> new AgentAtWork(Ralph.over(open()), number));
      measured = i < 0 ? measured : measured.and(Measured.of(rate));
    }
    report.add(
        "postgres: tasks of 32 agents, each added, claimed, spoken of, noted on and done",
        "tasks/s",
        measured,
        Goal.NONE);
  }

  // ---- following

  /** Measures ten appends per second, followed through another open store. */
  private void follow() throws InterruptedException {
    int messages = Math.min(sizes.messages(), 300);
    Benchmarks.progress("postgres: append to seen");
    double[] millis = new double[messages];
    Topic topic = Topic.of("ralph.follow.inbox");
    try (FrameStore writer = open();
        FrameStore reader = open();
        Follower follower = reader.follow(Query.of(TopicFilter.of(topic)))) {
      follower.poll(Duration.ofMillis(100));
      for (int i = 0; i < messages; i++) {
        Thread.sleep(100);
        long from = System.nanoTime();
        Draft draft = Draft.of(topic, Meta.empty(), CONTENT);
        writer.append(Batch.of(UUID.randomUUID().toString(), List.of(draft)));
        Frame seen = null;
        while (seen == null) {
          seen = follower.poll(Duration.ofSeconds(10));
        }
        millis[i] = (System.nanoTime() - from) / 1e6;
      }
    }
    String name = "postgres: append to seen, another store, 10 a second";
    report.add(name + ", p50", "ms", Measured.ofCalls(millis), Goal.oursAtMost(5));
    report.add(
        name + ", p99", "ms", Measured.of(Measured.percentile(millis, 0.99)), Goal.oursAtMost(15));
  }

  /** Measures the effect of followers in another open store on writers. */
  private void followers() throws SQLException, InterruptedException {
    String name = "postgres: append one frame, 8 threads, beside 100 followers, against none";
    Benchmarks.progress(name);
    Measured beside = Measured.of();
    Measured alone = Measured.of();
    try (FrameStore store = open()) {
      Writers writers = number -> new StoreWriter(store, false, number, 1);
      for (int i = -sizes.warmups(); i < sizes.rounds() * sizes.iterations(); i++) {
        Measured without = Measured.of(rate(SCOPES, writers));
        Measured with = besideFollowers(writers);
        if (i >= 0) {
          alone = alone.and(without);
          beside = beside.and(with);
        }
      }
    }
    report.add(name, "frames/s", beside, alone, Goal.atLeast(0.97 - alone.spread()));
  }

  private Measured besideFollowers(Writers writers) throws SQLException, InterruptedException {
    List<Thread> threads = new ArrayList<>();
    try (FrameStore reader = open()) {
      Position end = reader.last(TopicFilter.all()).map(Frame::position).orElse(Position.START);
      for (int each = 0; each < FOLLOWERS; each++) {
        Topic topic = Topic.of("ralph.followed" + each + ".inbox");
        Follower follower = reader.follow(Query.of(TopicFilter.of(topic)).after(end));
        Thread thread = new Thread(() -> waitUntilClosed(follower));
        thread.start();
        threads.add(thread);
      }
      for (Thread thread : threads) {
        while (thread.getState() != Thread.State.TIMED_WAITING) {
          Thread.sleep(1);
        }
      }
      return Measured.of(rate(SCOPES, writers));
    } finally {
      for (Thread thread : threads) {
        thread.join();
      }
    }
  }

  private static void waitUntilClosed(Follower follower) {
    try (follower) {
      follower.poll(Duration.ofMinutes(10));
    } catch (InterruptedException | RalphException closed) {
      return;
    }
  }

  // ---- large logs

  /** Fills the log and compares the time of the last tenth with that of the first. */
  private void grow() throws SQLException {
    Benchmarks.progress("postgres: growth");
    int stage = sizes.frames() / 10;
    double[] rates = new double[10];
    double[] lasts = new double[10];
    try (FrameStore store = open();
        StoreWriter writer = new StoreWriter(store, false, 0, 1_000)) {
      for (int i = 0; i < rates.length; i++) {
        long from = System.nanoTime();
        for (int frames = 0; frames < stage; ) {
          frames += writer.write();
        }
        rates[i] = stage / ((System.nanoTime() - from) / 1e9);
        from = System.nanoTime();
        for (int each = 0; each < 100; each++) {
          store.last(TopicFilter.of(topic(0)));
        }
        lasts[i] = (System.nanoTime() - from) / 1e6 / 100;
      }
    }
    String large = " at " + sizes.frames() + " frames, against a tenth";
    report.add(
        "postgres: append batches of 1,000" + large,
        "frames/s",
        Measured.of(rates[8], rates[9]),
        Measured.of(rates[0], rates[1]),
        Goal.atLeast(0.8));
    report.add(
        "postgres: the last frame of a topic" + large,
        "ms",
        Measured.of(lasts[8], lasts[9]),
        Measured.of(lasts[0], lasts[1]),
        Goal.atMost(1.3));
  }

  private void fold() throws SQLException {
    String name = "postgres: fold all frames, against a streamed SELECT";
    Benchmarks.progress(name);
    Measured ours = Measured.of();
    Measured bare = Measured.of();
    execute("vacuum analyze " + SCHEMA + ".frame");
    try (FrameStore store = open()) {
      for (int i = -1; i < sizes.rounds(); i++) {
        double own = folded(store);
        double streamed = streamed();
        if (i >= 0) {
          ours = ours.and(Measured.of(own));
          bare = bare.and(Measured.of(streamed));
        }
      }
    }
    report.add(name, "frames/s", ours, bare, Goal.atLeast(0.6));
  }

  private double folded(FrameStore store) {
    long from = System.nanoTime();
    long frames = 0;
    long sum = 0;
    try (FrameCursor cursor = store.read(Query.of(TopicFilter.of(topic(0))))) {
      for (Frame frame = cursor.next(); frame != null; frame = cursor.next()) {
        sum += frame.content().length();
        frames++;
      }
    }
    return rate(from, frames, sum);
  }

  private double streamed() throws SQLException {
    long from = System.nanoTime();
    long frames = 0;
    long sum = 0;
    connection.setAutoCommit(false);
    try (PreparedStatement select =
        connection.prepareStatement(
            "select position, topic, id, time, meta, content, erased from "
                + SCHEMA
                + ".frame where scope = (select id from "
                + SCHEMA
                + ".scope where name = ?) order by position")) {
      select.setFetchSize(PAGE);
      select.setString(1, topic(0).scope());
      try (ResultSet row = select.executeQuery()) {
        while (row.next()) {
          row.getLong(1);
          row.getString(2);
          row.getString(3);
          row.getLong(4);
          row.getString(5);
          sum += new String(row.getBytes(6), StandardCharsets.UTF_8).length();
          row.getBoolean(7);
          frames++;
        }
      }
    } finally {
      connection.rollback();
      connection.setAutoCommit(true);
    }
    return rate(from, frames, sum);
  }

  private static double rate(long from, long frames, long characters) {
    if (characters != frames * CONTENT.length()) {
      throw new IllegalStateException(frames + " frames have " + characters + " characters");
    }
    return frames / ((System.nanoTime() - from) / 1e9);
  }

  @Override
  public void close() throws SQLException {
    drop();
    connection.close();
  }
}
