package dev.ralph.store.support;

import dev.ralph.log.Position;
import dev.ralph.log.RalphException;
import dev.ralph.spi.Snapshot;
import dev.ralph.spi.SnapshotKey;
import dev.ralph.spi.SnapshotStore;
import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.io.DataInputStream;
import java.io.DataOutputStream;
import java.io.File;
import java.io.FileNotFoundException;
import java.io.IOException;
import java.io.RandomAccessFile;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.Objects;
import java.util.Optional;
import java.util.zip.CRC32C;
import org.jspecify.annotations.Nullable;

/** Keeps each snapshot in a file of its own, checksummed; what can't be read counts as absent. */
public final class FileSnapshotStore implements SnapshotStore {

  /** The name of the file in a store's folder that says up to where frames were erased. */
  public static final String ERASED = "erased";

  /** A larger state is folded again, which takes hardly longer than to read it. */
  private static final int LARGEST = 128 * 1024 * 1024;

  private static final int LONGEST_NUMBER = 32;

  private static final int MAGIC = 0x52534e32;

  /** What this is, the checksum, and how long the names are; these and the state follow. */
  private static final int HEADER = 2 * Integer.BYTES + Long.BYTES;

  private final StoreFiles files;
  private final Path directory;
  private final @Nullable Path erased;

  /** Uses that folder, which is made when first needed; for a log where nothing is erased. */
  public FileSnapshotStore(Path directory) {
    this(new StoreFiles(directory), directory, null);
  }

  /**
   * Uses that folder, which is made when first needed.
   *
   * @param files of the store that the folder is in
   * @param erased where {@link #erasing} leaves word for other processes; null for a log where
   *     nothing is erased
   */
  public FileSnapshotStore(StoreFiles files, Path directory, @Nullable Path erased) {
    this.files = files;
    this.directory = directory;
    this.erased = erased;
  }

  /**
   * Leaves word, durably, that frames up to there are about to be erased: no process keeps or uses
   * a state of so few frames any more.
   *
   * @param position where the log ends
   */
  public void erasing(long position) {
    byte[] text = (position + "\n").getBytes(StandardCharsets.US_ASCII);
    files.writeAtomically(Objects.requireNonNull(erased, "nothing is erased"), text, true);
  }

  /** Removes every snapshot, and what killed processes left of others. */
  public void removeAll() throws IOException {
    files.checkFolder(directory);
    File[] all = directory.toFile().listFiles();
    if (all == null) {
      return;
    }
    for (File file : all) {
      if (!file.isDirectory()) {
        files.deleteIfExists(file.toPath());
      }
    }
    PrivateFiles.syncDirectory(directory);
  }

  private boolean mayHoldErased(Position position) throws IOException {
    if (erased == null || !erased.toFile().exists()) {
      return false;
    }
    byte[] text = files.read(erased, LONGEST_NUMBER);
    try {
      return text == null
          || position.value() <= Long.parseLong(new String(text, StandardCharsets.US_ASCII).trim());
    } catch (NumberFormatException unreadable) {
      return true;
    }
  }

  @Override
  public Optional<Snapshot> load(SnapshotKey key) {
    try (RandomAccessFile file = files.openToRead(file(key).toFile())) {
      if (file.length() > LARGEST) {
        return Optional.empty();
      }
      int left = (int) file.length() - HEADER;
      ByteBuffer header = ByteBuffer.wrap(PrivateFiles.read(file, HEADER));
      int magic = header.getInt();
      long checksum = header.getLong();
      int nameLength = header.getInt();
      if (magic != MAGIC || nameLength < 0 || nameLength > left) {
        return Optional.empty();
      }
      byte[] names = PrivateFiles.read(file, nameLength);
      byte[] state = PrivateFiles.read(file, left - nameLength); // once: it may be large
      if (checksum != checksum(names, state)) {
        return Optional.empty();
      }
      DataInputStream in = new DataInputStream(new ByteArrayInputStream(names));
      if (!in.readUTF().equals(name(key))) {
        return Optional.empty();
      }
      String frameId = in.readUTF();
      Position position = Position.of(in.readLong());
      if (mayHoldErased(position)) {
        files.deleteIfExists(file(key));
        return Optional.empty();
      }
      return Optional.of(new Snapshot(frameId, position, state));
    } catch (FileNotFoundException absent) {
      return Optional.empty();
    } catch (IOException | RalphException e) {
      return unusable(key, e);
    }
  }

  @Override
  public void save(SnapshotKey key, Snapshot snapshot) {
    try {
      ByteArrayOutputStream body = new ByteArrayOutputStream();
      DataOutputStream out = new DataOutputStream(body);
      out.writeUTF(name(key));
      out.writeUTF(snapshot.frameId());
      out.writeLong(snapshot.position().value());
      byte[] names = body.toByteArray();
      byte[] state = snapshot.state();
      if (state.length > LARGEST - HEADER - names.length) {
        return;
      }
      byte[] whole =
          ByteBuffer.allocate(HEADER + names.length + state.length)
              .putInt(MAGIC)
              .putLong(checksum(names, state))
              .putInt(names.length)
              .put(names)
              .put(state)
              .array();
      files.createDirectories(directory);
      if (mayHoldErased(snapshot.position())) {
        return;
      }
      files.writeAtomically(file(key), whole, false);
      if (mayHoldErased(snapshot.position())) {
        files.deleteIfExists(file(key)); // erased in between
      }
    } catch (IOException | RalphException e) {
      unusable(key, e);
    }
  }

  private static Optional<Snapshot> unusable(SnapshotKey key, Exception e) {
    System.getLogger(FileSnapshotStore.class.getName())
        .log(System.Logger.Level.DEBUG, "no use of the snapshot of " + name(key), e);
    return Optional.empty();
  }

  private Path file(SnapshotKey key) {
    byte[] name = name(key).getBytes(StandardCharsets.UTF_8);
    return directory.resolve(
        Long.toHexString(checksum(name))
            + "-"
            + Integer.toHexString(name(key).hashCode())
            + ".snapshot");
  }

  private static String name(SnapshotKey key) {
    return key.fold() + " " + key.version() + " " + String.join(" ", key.filter().patterns());
  }

  private static long checksum(byte[]... parts) {
    CRC32C crc = new CRC32C();
    for (byte[] part : parts) {
      crc.update(part);
    }
    return crc.getValue();
  }
}
