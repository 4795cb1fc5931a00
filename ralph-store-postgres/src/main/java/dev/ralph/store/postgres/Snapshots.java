package dev.ralph.store.postgres;

import dev.ralph.log.Position;
import dev.ralph.log.RalphException;
import dev.ralph.spi.Snapshot;
import dev.ralph.spi.SnapshotKey;
import dev.ralph.spi.SnapshotStore;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.util.Optional;

/** Snapshots in a table beside the log, so that all hosts share them. */
final class Snapshots implements SnapshotStore {

  private final PostgresFrameStore store;
  private final Connections connections;
  private final String load;
  private final String save;

  Snapshots(PostgresFrameStore store, Connections connections, String schema) {
    this.store = store;
    this.connections = connections;
    this.load = "select frame_id, position, state from " + schema + ".snapshot where key = ?";
    this.save =
        "insert into "
            + schema
            + ".snapshot as s (key, position, frame_id, state) select ?, ?, ?, ? from "
            + schema
            + ".log where erased_until < ? for share on conflict (key) do update set position ="
            + " excluded.position, frame_id = excluded.frame_id, state = excluded.state";
  }

  private static String text(SnapshotKey key) {
    return key.fold() + "\n" + key.version() + "\n" + key.filter();
  }

  @Override
  public Optional<Snapshot> load(SnapshotKey key) {
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
  public void save(SnapshotKey key, Snapshot snapshot) {
    store.requireOpen();
    try {
      connections.once(
          "save a snapshot",
          connection -> {
            try (PreparedStatement kept = connection.prepareStatement(save)) {
              kept.setString(1, text(key));
              kept.setLong(2, snapshot.position().value());
              kept.setString(3, snapshot.frameId());
              kept.setBytes(4, snapshot.state());
              kept.setLong(5, snapshot.position().value());
              return kept.executeUpdate();
            }
          });
    } catch (RalphException notKept) {
      // then the next one folds from further back
    }
  }
}
