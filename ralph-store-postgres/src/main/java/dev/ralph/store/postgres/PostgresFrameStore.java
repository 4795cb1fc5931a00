package dev.ralph.store.postgres;

import dev.ralph.log.Appended;
import dev.ralph.log.Batch;
import dev.ralph.log.Damage;
import dev.ralph.log.Draft;
import dev.ralph.log.Erasure;
import dev.ralph.log.Follower;
import dev.ralph.log.Frame;
import dev.ralph.log.FrameCursor;
import dev.ralph.log.Meta;
import dev.ralph.log.Position;
import dev.ralph.log.Query;
import dev.ralph.log.RalphException;
import dev.ralph.log.StoreInfo;
import dev.ralph.log.StoreInfo.Capability;
import dev.ralph.log.Topic;
import dev.ralph.log.TopicFilter;
import dev.ralph.spi.Followers;
import dev.ralph.spi.FrameStore;
import dev.ralph.spi.MovableClock;
import dev.ralph.spi.PlainFrame;
import dev.ralph.spi.SnapshotStore;
import dev.ralph.spi.StoreConfig;
import java.lang.System.Logger.Level;
import java.nio.charset.StandardCharsets;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Clock;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Collection;
import java.util.Deque;
import java.util.EnumSet;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.SortedSet;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.UUID;
import org.jspecify.annotations.Nullable;

/** A log in a schema of a PostgreSQL database. */
final class PostgresFrameStore implements FrameStore {

  private static final System.Logger LOG =
      System.getLogger(PostgresFrameStore.class.getPackageName());

  /** How far a machine's clock may be from the server's without a word. */
  private static final Duration MOST_APART = Duration.ofSeconds(5);

  private static final EnumSet<Capability> CAPABILITIES =
      EnumSet.of(
          Capability.PERSISTENT, Capability.MULTI_PROCESS, Capability.SYNC, Capability.ERASES);

  private static final String RANGES = "unnest(?::text[], ?::text[]) as r (low, high)";

  /** A host that is gone in the middle of this must not keep the others waiting. */
  private static final String FREES_SOON = "set local idle_in_transaction_session_timeout = '5s'";

  /** Longer contents are read when they are asked for. */
  private static final int MOST_AT_ONCE = 8_192;

  private final StoreInfo info;
  private final Connections connections;
  private final GroupAppender appender;
  private final Horizon horizon;
  private final Followers followers;
  private final Wakeups wakeups;

  /** The schema as an SQL identifier. */
  private final String schema;

  private final String columns;
  private final String endOfScope;

  /** Whether no program has set the clock that frames have their times by. */
  private final boolean isServersTime;

  /** Null until somebody wants it. */
  private volatile @Nullable ServerClock serverClock;

  private volatile boolean closed;

  private PostgresFrameStore(
      Address address, Connections connections, String storeId, Clock clock) {
    this.connections = connections;
    this.schema = address.quotedSchema();
    this.columns =
        "select f.position, f.topic, f.id, f.time, f.meta, case when octet_length(f.content) <= "
            + MOST_AT_ONCE
            + " then f.content end, f.erased from "
            + schema
            + ".frame f ";
    this.endOfScope =
        "select max(position) from "
            + schema
            + ".frame where scope = (select id from "
            + schema
            + ".scope where name = ?)";
    this.info =
        new StoreInfo(
            storeId,
            PostgresStoreProvider.NAME,
            address.shown(),
            CAPABILITIES,
            PendingAppend.MAX_CONTENT_BYTES,
            PendingAppend.MAX_BATCH_FRAMES);
    this.isServersTime = clock.equals(Clock.systemUTC());
    this.appender = new GroupAppender(this, connections, schema, isServersTime ? null : clock);
    this.horizon = new Horizon(schema);
    this.wakeups = new Wakeups(connections, address.schema(), this::heard);
    this.followers = new Followers(this::readAtOnce, wakeups::listen);
  }

  /** Opens a log, and closes the connections if that fails. */
  static FrameStore open(Address address, Connections connections, StoreConfig config) {
    try {
      String storeId = Schema.open(address, connections, config);
      return new PostgresFrameStore(address, connections, storeId, config.clock());
    } catch (RuntimeException e) {
      connections.close();
      throw e;
    }
  }

  private void heard() {
    followers.appended();
  }

  void requireOpen() {
    if (closed) {
      throw RalphException.closed("the store");
    }
  }

  /** A clock that a test moves, or that the frames have their times by, is left as it is. */
  @Override
  public Clock clock(Clock host) {
    requireOpen();
    if (!isServersTime || host instanceof MovableClock) {
      return host;
    }
    ServerClock known = serverClock;
    if (known != null) {
      return known;
    }
    ServerClock asked = connections.call("ask for the time", PostgresFrameStore::askTime);
    Duration ahead = Duration.between(asked.instant(), host.instant());
    if (ahead.abs().compareTo(MOST_APART) > 0) {
      LOG.log(
          Level.WARNING,
          "the clock of this machine is "
              + ahead.abs().toSeconds()
              + " s "
              + (ahead.isNegative() ? "behind" : "ahead of")
              + " that of the server, "
              + info.location()
              + ", which leases and deadlines go by; set it right");
    }
    serverClock = asked;
    return asked;
  }

  private static ServerClock askTime(Connection connection) throws SQLException {
    try (PreparedStatement time =
        connection.prepareStatement(
            "select floor(extract(epoch from clock_timestamp()) * 1000)::bigint")) {
      long asked = System.nanoTime();
      return new ServerClock(number(time), asked);
    }
  }

  /** Takes note of the time that the server stamped an append with. */
  void heardTime(long stamp, long asked) {
    ServerClock known = serverClock;
    if (known != null) {
      known.heard(stamp, asked);
    }
  }

  @Override
  public StoreInfo info() {
    requireOpen();
    return info;
  }

  @Override
  public Appended append(Batch batch) {
    requireOpen();
    Appended appended = appender.append(batch);
    if (!appended.frames().isEmpty()) {
      told();
    }
    return appended;
  }

  private void told() {
    followers.appended();
    wakeups.tell();
  }

  // ---- reading

  @Override
  public FrameCursor read(Query query) {
    requireOpen();
    return new PageCursor(this, query, Connections.PATIENCE);
  }

  /** A follower waits by itself for a server that can't be reached: it may be woken meanwhile. */
  private FrameCursor readAtOnce(Query query) {
    requireOpen();
    return new PageCursor(this, query, Duration.ZERO);
  }

  @Override
  public Follower follow(Query query) {
    return followers.follow(query);
  }

  /** Returns the position of the last frame that a query may come to now. */
  long end(Query query, Duration patience) {
    return connections.call("read the log", patience, connection -> end(connection, query));
  }

  /**
   * Frames of one scope appear in their order, because appends to it wait for each other. A query
   * for several has to mind the horizon.
   */
  private long end(Connection connection, Query query) throws SQLException {
    Optional<String> scope = query.filter().scope();
    if (scope.isEmpty()) {
      return horizon.position(connection);
    }
    try (PreparedStatement asked = connection.prepareStatement(endOfScope)) {
      asked.setString(1, scope.get());
      return number(asked);
    }
  }

  private static long number(PreparedStatement asked) throws SQLException {
    try (ResultSet row = asked.executeQuery()) {
      row.next();
      return row.getLong(1);
    }
  }

  /**
   * Reads on.
   *
   * @return up to where that was
   */
  long after(Query query, long after, long until, int most, Deque<Frame> page, Duration patience) {
    return connections.call(
        "read the log",
        patience,
        connection -> {
          page.clear();
          long end;
          if (query.filter().scope().isPresent()) {
            end = select(connection, query, true, after, until, most, page);
          } else {
            end = Math.min(horizon.position(connection), until);
            if (end > after) {
              select(connection, query, false, after, end, most, page);
            }
          }
          long last = page.isEmpty() ? after : page.getLast().position().value();
          return page.size() < most ? Math.max(last, Math.min(end, until)) : last;
        });
  }

  /** Reads on backward, from a position on; returns from where on that was. */
  long before(Query query, long from, int most, Deque<Frame> page, Duration patience) {
    return connections.call(
        "read the log",
        patience,
        connection -> {
          page.clear();
          select(connection, query, false, query.after().value(), from, most, page);
          return page.isEmpty() ? 0 : page.getLast().position().value() - 1;
        });
  }

  /**
   * Selects frames, and before them the end of their scope, where that is wanted: the server is
   * asked once for both.
   *
   * @return that end, or until
   */
  private long select(
      Connection connection,
      Query query,
      boolean withEnd,
      long after,
      long until,
      int most,
      Deque<Frame> page)
      throws SQLException {
    TopicFilter filter = query.filter();
    boolean all = filter.equals(TopicFilter.all());
    Optional<String> scope = filter.scope();
    String sql =
        (withEnd ? endOfScope + "; " : "")
            + columns
            + "where f.position > ? and f.position <= ?"
            + (scope.isPresent()
                ? " and f.scope = (select id from " + schema + ".scope where name = ?)"
                : "")
            + (all
                ? ""
                : " and exists (select from " + RANGES + " where f.topic between r.low and r.high)")
            + " order by f.position"
            + (query.isBackward() ? " desc" : "")
            + " limit ?";
    try (PreparedStatement asked = connection.prepareStatement(sql)) {
      int next = 1;
      if (withEnd) {
        asked.setString(next++, scope.orElseThrow());
      }
      asked.setLong(next++, after);
      asked.setLong(next++, until);
      if (scope.isPresent()) {
        asked.setString(next++, scope.get());
      }
      if (!all) {
        setRanges(connection, asked, next, filter);
        next += 2;
      }
      asked.setInt(next, most);
      asked.execute();
      long end = until;
      if (withEnd) {
        try (ResultSet row = asked.getResultSet()) {
          row.next();
          end = row.getLong(1);
        }
        asked.getMoreResults();
      }
      addFrames(asked.getResultSet(), page);
      return end;
    }
  }

  private static void setRanges(
      Connection connection, PreparedStatement asked, int at, TopicFilter filter)
      throws SQLException {
    Ranges ranges = Ranges.of(filter);
    asked.setArray(at, connection.createArrayOf("text", ranges.lows()));
    asked.setArray(at + 1, connection.createArrayOf("text", ranges.highs()));
  }

  private void addFrames(ResultSet found, Collection<Frame> frames) throws SQLException {
    Map<String, Topic> topics = new HashMap<>();
    try (ResultSet row = found) {
      while (row.next()) {
        Position position = Position.of(row.getLong(1));
        byte @Nullable [] content = row.getBytes(6);
        PlainFrame frame =
            PlainFrame.of(
                row.getString(3),
                topics.computeIfAbsent(row.getString(2), Topic::of),
                position,
                Instant.ofEpochMilli(row.getLong(4)),
                Meta.stored(row.getString(5)),
                () ->
                    new String(
                        content == null ? content(position) : content, StandardCharsets.UTF_8));
        frames.add(row.getBoolean(7) ? frame.erased() : frame);
      }
    }
  }

  private Optional<Frame> one(PreparedStatement asked) throws SQLException {
    List<Frame> found = new ArrayList<>();
    addFrames(asked.executeQuery(), found);
    return found.stream().findFirst();
  }

  @Override
  public Optional<Frame> get(String id) {
    requireOpen();
    if (id.indexOf('\0') >= 0) {
      return Optional.empty();
    }
    return connections.call(
        "read a frame",
        connection -> {
          try (PreparedStatement asked = connection.prepareStatement(columns + "where f.id = ?")) {
            asked.setString(1, id);
            return one(asked);
          }
        });
  }

  byte[] content(Position position) {
    requireOpen();
    return connections.call(
        "read the content of a frame",
        connection -> {
          try (PreparedStatement asked =
              connection.prepareStatement(
                  "select content from " + schema + ".frame where position = ?")) {
            asked.setLong(1, position.value());
            try (ResultSet row = asked.executeQuery()) {
              if (!row.next()) {
                throw RalphException.damaged("the frame at " + position + " is gone");
              }
              return row.getBytes(1);
            }
          }
        });
  }

  @Override
  public Optional<Frame> last(TopicFilter filter) {
    requireOpen();
    return connections.call(
        "read the last frame",
        connection -> {
          try (PreparedStatement asked =
              connection.prepareStatement(
                  columns
                      + "where f.position = (select max(t.last) from "
                      + schema
                      + ".topic t join "
                      + RANGES
                      + " on t.name between r.low and r.high)")) {
            setRanges(connection, asked, 1, filter);
            return one(asked);
          }
        });
  }

  @Override
  public SortedSet<Topic> topics(TopicFilter filter) {
    requireOpen();
    return connections.call(
        "read the topics",
        connection -> {
          SortedSet<Topic> topics = new TreeSet<>();
          try (PreparedStatement asked =
              connection.prepareStatement(
                  "select t.name from "
                      + schema
                      + ".topic t join "
                      + RANGES
                      + " on t.name between r.low and r.high")) {
            setRanges(connection, asked, 1, filter);
            try (ResultSet row = asked.executeQuery()) {
              while (row.next()) {
                topics.add(Topic.of(row.getString(1)));
              }
            }
          }
          return topics;
        });
  }

  @Override
  public Optional<List<Frame>> findBatch(String batchId, Position since) {
    requireOpen();
    if (batchId.indexOf('\0') >= 0) {
      return Optional.empty();
    }
    return connections.call(
        "look for a batch",
        connection -> {
          try (PreparedStatement asked =
              connection.prepareStatement("select number from " + schema + ".batch where id = ?")) {
            asked.setString(1, batchId);
            try (ResultSet row = asked.executeQuery()) {
              return row.next() ? Optional.of(batch(connection, row.getLong(1))) : Optional.empty();
            }
          }
        });
  }

  /** Returns the frames of the batch of that number. */
  List<Frame> batch(Connection connection, long number) throws SQLException {
    try (PreparedStatement asked =
        connection.prepareStatement(
            columns + "where f.position between ? and ? order by f.position")) {
      asked.setLong(1, number << 10);
      asked.setLong(2, number << 10 | 1023);
      List<Frame> frames = new ArrayList<>();
      addFrames(asked.executeQuery(), frames);
      return frames;
    }
  }

  /** Has the server read everything; it says by itself what it can't. */
  @Override
  public List<Damage> verify() {
    requireOpen();
    try {
      connections.call(
          "verify the store",
          connection -> Connections.unhurried(connection, this::readEverything));
      return List.of();
    } catch (RalphException e) {
      if (e.getCause() instanceof SQLException cause
          && String.valueOf(cause.getSQLState()).startsWith("XX")) {
        return List.of(new Damage(schema, 0, 0, 0, String.valueOf(e.getMessage())));
      }
      throw e;
    }
  }

  private long readEverything(Connection connection) throws SQLException {
    try (PreparedStatement asked =
        connection.prepareStatement(
            "select sum(length(meta) + length(sha256(content))) from " + schema + ".frame")) {
      return number(asked);
    }
  }

  // ---- erasing

  @Override
  public int erase(Collection<String> ids) {
    requireOpen();
    String[] all = new TreeSet<>(ids).toArray(String[]::new);
    for (String id : all) {
      if (id.indexOf('\0') >= 0) {
        throw Erasure.unknown(id);
      }
    }
    int erased =
        connections.call(
            "erase frames",
            connection -> Connections.unhurried(connection, one -> erase(one, all)));
    told();
    return erased;
  }

  /** Notices are appended first, which locks the scopes, and then all is erased at once. */
  private int erase(Connection connection, String[] ids) throws SQLException {
    connection.setAutoCommit(false);
    try (Statement statement = connection.createStatement()) {
      statement.execute(FREES_SOON);
    }
    Map<String, Map<Topic, List<String>>> byScope = new TreeMap<>();
    int count = 0;
    try (PreparedStatement asked =
        connection.prepareStatement(
            "select w.id, f.topic, f.meta = '{}' and f.content = '' from unnest(?::text[]) w (id)"
                + " left join "
                + schema
                + ".frame f on f.id = w.id")) {
      asked.setArray(1, connection.createArrayOf("text", ids));
      try (ResultSet row = asked.executeQuery()) {
        while (row.next()) {
          if (row.getString(2) == null) {
            throw Erasure.unknown(row.getString(1));
          }
          if (!row.getBoolean(3)) {
            Topic topic = Topic.of(row.getString(2));
            byScope
                .computeIfAbsent(topic.scope(), none -> new TreeMap<>())
                .computeIfAbsent(topic, none -> new ArrayList<>())
                .add(row.getString(1));
            count++;
          }
        }
      }
    }
    if (count == 0) {
      return 0;
    }
    List<Batch> notices = new ArrayList<>();
    Set<Topic> erased = new HashSet<>();
    for (Map<Topic, List<String>> topics : byScope.values()) {
      erased.addAll(topics.keySet());
      List<Draft> drafts = new ArrayList<>();
      topics.forEach((topic, gone) -> drafts.add(Erasure.notice(topic, gone)));
      for (int i = 0; i < drafts.size(); i += PendingAppend.MAX_BATCH_FRAMES) {
        int to = Math.min(drafts.size(), i + PendingAppend.MAX_BATCH_FRAMES);
        notices.add(Batch.of(UUID.randomUUID().toString(), drafts.subList(i, to)));
      }
    }
    long until = appender.append(connection, notices);
    try (PreparedStatement erase =
        connection.prepareStatement(
            "update "
                + schema
                + ".frame set meta = '{}', content = '', erased = true where id = any (?)")) {
      erase.setArray(1, connection.createArrayOf("text", ids));
      erase.executeUpdate();
    }
    try (PreparedStatement forget =
        connection.prepareStatement("update " + schema + ".log set erased_until = ?")) {
      forget.setLong(1, until);
      forget.executeUpdate();
    }
    Snapshots.remove(connection, schema, until, erased);
    connection.commit();
    return count;
  }

  // ---- the rest

  @Override
  public SnapshotStore snapshots() {
    requireOpen();
    return new Snapshots(this, connections, schema);
  }

  @Override
  public void close() {
    closed = true;
    followers.close();
    wakeups.close();
    connections.close();
  }
}
