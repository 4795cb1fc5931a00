package dev.ralph.store.postgres;

import dev.ralph.log.Appended;
import dev.ralph.log.Batch;
import dev.ralph.log.Damage;
import dev.ralph.log.Draft;
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

/** A store that keeps its log in a schema of a PostgreSQL database. */
final class PostgresFrameStore implements FrameStore {

  private static final System.Logger LOG =
      System.getLogger(PostgresFrameStore.class.getPackageName());

  /** The store warns if the host's clock differs more from the server's clock. */
  private static final Duration MAX_CLOCK_DIFFERENCE = Duration.ofSeconds(5);

  private static final EnumSet<Capability> CAPABILITIES =
      EnumSet.of(
          Capability.PERSISTENT,
          Capability.MULTI_PROCESS,
          Capability.SYNC,
          Capability.ERASES,
          Capability.COMPACTS);

  private static final String RANGES = "unnest(?::text[], ?::text[]) as r (low, high)";

  /** Frees the locks of an erasure or compaction whose host has died. */
  static final String LIMIT_IDLE_TIME = "set local idle_in_transaction_session_timeout = '5s'";

  /** The longest content, in bytes, read with its frame. Longer contents are read on demand. */
  private static final int MAX_EAGER_CONTENT = 8_192;

  private final StoreInfo info;
  private final ConnectionPool connections;
  private final GroupAppender appender;
  private final CommitHorizon horizon;
  private final Followers followers;
  private final NotificationChannel notifications;

  /** The schema as an SQL identifier. */
  private final String schema;

  private final String columns;
  private final String endOfScope;

  /** True if the server sets the times of frames; false if the program has set a clock. */
  private final boolean usesServerTime;

  /** The server's clock; null until it is first requested. */
  private volatile @Nullable ServerClock serverClock;

  private volatile boolean closed;

  private PostgresFrameStore(
      PostgresAddress address, ConnectionPool connections, String storeId, Clock clock) {
    this.connections = connections;
    this.schema = address.quotedSchema();
    this.columns =
        "select f.position, f.topic, f.id, f.time, f.meta, case when octet_length(f.content) <= "
            + MAX_EAGER_CONTENT
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
            QueuedBatch.MAX_CONTENT_BYTES,
            QueuedBatch.MAX_BATCH_FRAMES);
    this.usesServerTime = clock.equals(Clock.systemUTC());
    this.appender = new GroupAppender(this, connections, schema, usesServerTime ? null : clock);
    this.horizon = new CommitHorizon(schema);
    this.notifications =
        new NotificationChannel(connections, address.schema(), this::wakeFollowers);
    this.followers = new Followers(this::readWithoutRetry, notifications::listen);
  }

  /** Opens a log, and closes the connections if that fails. */
  static FrameStore open(PostgresAddress address, ConnectionPool connections, StoreConfig config) {
    try {
      String storeId = LogSchema.open(address, connections, config);
      return new PostgresFrameStore(address, connections, storeId, config.clock());
    } catch (RuntimeException e) {
      connections.close();
      throw e;
    }
  }

  private void wakeFollowers() {
    followers.appended();
  }

  void requireOpen() {
    if (closed) {
      throw RalphException.closed("the store");
    }
  }

  /** Returns the server's clock, unless the program has set a clock or a test moves the clock. */
  @Override
  public Clock clock(Clock host) {
    requireOpen();
    if (!usesServerTime || host instanceof MovableClock) {
      return host;
    }
    ServerClock known = serverClock;
    if (known != null) {
      return known;
    }
    ServerClock asked = connections.call("read the server's time", PostgresFrameStore::readClock);
    Duration ahead = Duration.between(asked.instant(), host.instant());
    if (ahead.abs().compareTo(MAX_CLOCK_DIFFERENCE) > 0) {
      LOG.log(
          Level.WARNING,
          "this host's clock is "
              + ahead.abs().toSeconds()
              + " s "
              + (ahead.isNegative() ? "behind" : "ahead of")
              + " the clock of the server "
              + info.location()
              + ", which decides leases and deadlines; correct this host's clock");
    }
    serverClock = asked;
    return asked;
  }

  private static ServerClock readClock(Connection connection) throws SQLException {
    try (PreparedStatement time =
        connection.prepareStatement(
            "select floor(extract(epoch from clock_timestamp()) * 1000)::bigint")) {
      long asked = System.nanoTime();
      return new ServerClock(number(time), asked);
    }
  }

  /**
   * Adjusts the clock to the server's time of an append.
   *
   * @param time the server's time, in milliseconds since 1970
   * @param asked the value of {@link System#nanoTime()} before the request
   */
  void updateClock(long time, long asked) {
    ServerClock known = serverClock;
    if (known != null) {
      known.update(time, asked);
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
      notifyFollowers();
    }
    return appended;
  }

  private void notifyFollowers() {
    followers.appended();
    notifications.send();
  }

  // ---- reading

  @Override
  public FrameCursor read(Query query) {
    requireOpen();
    return new PageCursor(this, query, ConnectionPool.RETRY_TIME);
  }

  /** Reads without retries for a follower, which retries itself and can be woken meanwhile. */
  private FrameCursor readWithoutRetry(Query query) {
    requireOpen();
    return new PageCursor(this, query, Duration.ZERO);
  }

  @Override
  public Follower follow(Query query) {
    return followers.follow(query);
  }

  /** Returns the position of the last frame that a query may read now. */
  long end(Query query, Duration retryTime) {
    return connections.call("read the log", retryTime, connection -> end(connection, query));
  }

  /**
   * Returns the last readable position. Appends to one scope are serialised, so their frames appear
   * in order. A query over several scopes must not read beyond the {@link CommitHorizon}.
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
   * Reads the next page of a forward query.
   *
   * @param after the position after which to read
   * @param until the last position to read
   * @param most the maximum number of frames
   * @param page cleared first, then receives the frames
   * @return the position up to which the log was read
   */
  long after(Query query, long after, long until, int most, Deque<Frame> page, Duration retryTime) {
    return connections.call(
        "read the log",
        retryTime,
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

  /** Reads the next page of a backward query; returns the position at which to continue. */
  long before(Query query, long from, int most, Deque<Frame> page, Duration retryTime) {
    return connections.call(
        "read the log",
        retryTime,
        connection -> {
          page.clear();
          select(connection, query, false, query.after().value(), from, most, page);
          return page.isEmpty() ? 0 : page.getLast().position().value() - 1;
        });
  }

  /**
   * Selects frames, and in the same round trip the end of their scope if requested.
   *
   * @param withEnd whether to select the end of the query's scope; the query must have a scope
   * @return the end of the scope, or {@code until} if not requested
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
    TopicRanges ranges = TopicRanges.of(filter);
    asked.setArray(at, connection.createArrayOf("text", ranges.lows()));
    asked.setArray(at + 1, connection.createArrayOf("text", ranges.highs()));
  }

  private void addFrames(ResultSet found, Collection<Frame> frames) throws SQLException {
    Map<String, Topic> topics = new HashMap<>();
    try (ResultSet row = found) {
      while (row.next()) {
        Position position = Position.of(row.getLong(1));
        byte @Nullable [] content = row.getBytes(6);
        Frame frame =
            Frame.of(
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

  private Optional<Frame> findOne(PreparedStatement asked) throws SQLException {
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
            return findOne(asked);
          }
        });
  }

  /** Returns the content of a frame; empty if a compaction may have removed the frame. */
  byte[] content(Position position) {
    requireOpen();
    return connections.call(
        "read the content of a frame",
        connection -> {
          try (PreparedStatement asked =
              connection.prepareStatement(
                  "select coalesce(f.content, case when ? < l.erased_until then ''::bytea end) from "
                      + schema
                      + ".log l left join "
                      + schema
                      + ".frame f on f.position = ?")) {
            asked.setLong(1, position.value());
            asked.setLong(2, position.value());
            try (ResultSet row = asked.executeQuery()) {
              byte @Nullable [] content = row.next() ? row.getBytes(1) : null;
              if (content == null) {
                throw RalphException.damaged(
                    "the frame at position "
                        + position
                        + " is missing; restore the database from a backup");
              }
              return content;
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
            return findOne(asked);
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
        "find a batch",
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

  /** Returns the frames of a batch by its number, in the order of positions. */
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

  /** Reads all rows of the log, so that the server reports damaged pages. */
  @Override
  public List<Damage> verify() {
    requireOpen();
    try {
      connections.call(
          "verify the store",
          connection -> ConnectionPool.withoutTimeout(connection, this::readEverything));
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
        throw RalphException.notErasable(id);
      }
    }
    int erased =
        connections.call(
            "erase frames",
            connection -> ConnectionPool.withoutTimeout(connection, same -> erase(same, all)));
    notifyFollowers();
    return erased;
  }

  /** Appends the notices, which locks the scopes, and erases all frames in the same transaction. */
  private int erase(Connection connection, String[] ids) throws SQLException {
    connection.setAutoCommit(false);
    try (Statement statement = connection.createStatement()) {
      statement.execute(LIMIT_IDLE_TIME);
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
            throw RalphException.notErasable(row.getString(1));
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
      topics.forEach((topic, gone) -> drafts.add(Draft.erasureNotice(topic, gone)));
      for (int i = 0; i < drafts.size(); i += QueuedBatch.MAX_BATCH_FRAMES) {
        int to = Math.min(drafts.size(), i + QueuedBatch.MAX_BATCH_FRAMES);
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
    PostgresSnapshots.remove(connection, schema, until, erased);
    connection.commit();
    return count;
  }

  @Override
  public long compact() {
    requireOpen();
    return new TableCompactor(connections, schema).compact();
  }

  // ---- snapshots and close

  @Override
  public SnapshotStore snapshots() {
    requireOpen();
    return new PostgresSnapshots(this, connections, schema);
  }

  @Override
  public void close() {
    closed = true;
    followers.close();
    notifications.close();
    connections.close();
  }
}
