package dev.ralph.store.postgres;

import dev.ralph.log.Draft;
import dev.ralph.log.Position;
import dev.ralph.log.RalphException;
import dev.ralph.log.Topic;
import dev.ralph.log.TopicFilter;
import dev.ralph.spi.Snapshot;
import dev.ralph.spi.SnapshotStore;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.Optional;
import java.util.Set;

/** Keeps snapshots in a table of the schema, so that all hosts share the snapshots. */
final class PostgresSnapshots implements SnapshotStore {

  /** The beginning of the metadata of each erasure notice. */
  private static final String NOTICE =
      Draft.erasureNotice(Topic.of("any"), List.of()).meta().json().replace("]}", "");

  private final PostgresFrameStore store;
  private final ConnectionPool connections;
  private final String load;
  private final String erasedUntil;
  private final String mayHoldErased;
  private final String save;

  PostgresSnapshots(PostgresFrameStore store, ConnectionPool connections, String schema) {
    this.store = store;
    this.connections = connections;
    this.load = "select frame_id, position, state from " + schema + ".snapshot where key = ?";
    this.erasedUntil = "select erased_until from " + schema + ".log for share";
    this.mayHoldErased =
        "select from "
            + schema
            + ".frame f, unnest(?::text[], ?::text[]) as r (low, high) where f.position > ?"
            + " and f.topic between r.low and r.high and starts_with(f.meta, ?) limit 1";
    this.save =
        "insert into "
            + schema
            + ".snapshot as s (key, position, frame_id, state) values (?, ?, ?, ?)"
            + " on conflict (key) do update set position ="
            + " excluded.position, frame_id = excluded.frame_id, state = excluded.state";
  }

  /**
   * Removes the snapshots that may contain erased frames.
   *
   * @param until snapshots at this position or after are kept
   * @param topics the topics of the erased frames
   */
  static void remove(Connection connection, String schema, long until, Set<Topic> topics)
      throws SQLException {
    List<String> doomed = new ArrayList<>();
    try (Statement asked = connection.createStatement();
        ResultSet row = asked.executeQuery("select key from " + schema + ".snapshot")) {
      while (row.next()) {
        String key = row.getString(1);
        if (topics.stream().anyMatch(filter(key)::matches)) {
          doomed.add(key);
        }
      }
    }
    try (PreparedStatement remove =
        connection.prepareStatement(
            "delete from " + schema + ".snapshot where position < ? and key = any (?)")) {
      remove.setLong(1, until);
      remove.setArray(2, connection.createArrayOf("text", doomed.toArray()));
      remove.executeUpdate();
    }
  }

  private static TopicFilter filter(String key) {
    TopicFilter filter = null;
    for (String pattern : key.substring(key.lastIndexOf('\n') + 1).split(" or ")) {
      TopicFilter one = TopicFilter.parse(pattern);
      filter = filter == null ? one : filter.or(one);
    }
    return Objects.requireNonNull(filter);
  }

  private static String text(Snapshot.Key key) {
    return key.fold() + "\n" + key.version() + "\n" + key.filter();
  }

  @Override
  public Optional<Snapshot> load(Snapshot.Key key) {
    store.requireOpen();
    return connections.call(
        "load a snapshot",
        connection -> {
          try (PreparedStatement asked = connection.prepareStatement(load)) {
            asked.setString(1, text(key));
            try (ResultSet row = asked.executeQuery()) {
              return row.next()
                  ? Optional.of(
                      new Snapshot(row.getString(1), Position.of(row.getLong(2)), row.getBytes(3)))
                  : Optional.empty();
            }
          }
        });
  }

  @Override
  public void save(Snapshot.Key key, Snapshot snapshot) {
    store.requireOpen();
    try {
      connections.callOnce("save a snapshot", connection -> save(connection, key, snapshot));
    } catch (RalphException e) {
      // without this snapshot, the next fold starts from an older one
    }
  }

  /** Saves a snapshot unless it may contain erased frames. Erasures wait for this transaction. */
  private boolean save(Connection connection, Snapshot.Key key, Snapshot snapshot)
      throws SQLException {
    connection.setAutoCommit(false);
    if (mayHoldErased(connection, key.filter(), snapshot.position().value())) {
      return false;
    }
    try (PreparedStatement kept = connection.prepareStatement(save)) {
      kept.setString(1, text(key));
      kept.setLong(2, snapshot.position().value());
      kept.setString(3, snapshot.frameId());
      kept.setBytes(4, snapshot.state());
      kept.executeUpdate();
    }
    connection.commit();
    return true;
  }

  /** Returns whether an erasure notice of the filter's topics follows the snapshot's position. */
  private boolean mayHoldErased(Connection connection, TopicFilter filter, long position)
      throws SQLException {
    try (PreparedStatement asked = connection.prepareStatement(erasedUntil);
        ResultSet row = asked.executeQuery()) {
      if (row.next() && row.getLong(1) < position) {
        return false;
      }
    }
    TopicRanges ranges = TopicRanges.of(filter);
    try (PreparedStatement asked = connection.prepareStatement(mayHoldErased)) {
      asked.setArray(1, connection.createArrayOf("text", ranges.lows()));
      asked.setArray(2, connection.createArrayOf("text", ranges.highs()));
      asked.setLong(3, position);
      asked.setString(4, NOTICE);
      try (ResultSet row = asked.executeQuery()) {
        return row.next();
      }
    }
  }
}
