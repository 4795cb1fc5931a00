package dev.ralph.store.socket;

import dev.ralph.log.RalphException;
import dev.ralph.spi.Snapshot;
import dev.ralph.spi.SnapshotStore;
import java.util.Optional;

/** The snapshots that are kept at the other end. */
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
        Request.LOAD.put(wire);
        Form.putKey(wire, key);
        wire.flush();
        Form.takeAnswer(wire);
        Optional<Snapshot> snapshot = Optional.ofNullable(Form.takeSnapshot(wire));
        wire.end();
        return snapshot;
      } finally {
        connections.giveBack(wire);
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
        Request.SAVE.put(wire);
        Form.putKey(wire, key);
        Form.putSnapshot(wire, snapshot);
        wire.flush();
        Form.takeAnswer(wire);
        wire.end();
      } finally {
        connections.giveBack(wire);
      }
    } catch (RalphException notKept) {
      // then the next reader begins earlier
    }
  }
}
