package dev.ralph.store.socket.internal;

import dev.ralph.log.RalphException;
import dev.ralph.spi.Snapshot;
import dev.ralph.spi.SnapshotStore;
import java.util.Optional;

/** The snapshots of the served store. */
final class SocketSnapshots implements SnapshotStore {

  private final Connections connections;

  SocketSnapshots(Connections connections) {
    this.connections = connections;
  }

  @Override
  public Optional<Snapshot> load(Snapshot.Key key) {
    try {
      Wire wire = connections.take();
      try {
        RequestType.LOAD.put(wire);
        WireCodec.putKey(wire, key);
        wire.flush();
        WireCodec.takeAnswer(wire);
        Optional<Snapshot> snapshot = Optional.ofNullable(WireCodec.takeSnapshot(wire));
        wire.end();
        return snapshot;
      } finally {
        connections.release(wire);
      }
    } catch (RalphException notThere) {
      return Optional.empty();
    }
  }

  @Override
  public void save(Snapshot.Key key, Snapshot snapshot) {
    try {
      Wire wire = connections.take();
      try {
        RequestType.SAVE.put(wire);
        WireCodec.putKey(wire, key);
        WireCodec.putSnapshot(wire, snapshot);
        wire.flush();
        WireCodec.takeAnswer(wire);
        wire.end();
      } finally {
        connections.release(wire);
      }
    } catch (RalphException notKept) {
      // without the snapshot, the next reader folds more frames
    }
  }
}
