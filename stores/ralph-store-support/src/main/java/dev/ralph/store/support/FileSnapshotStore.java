package dev.ralph.store.support;

import dev.ralph.log.Position;
import dev.ralph.log.RalphException;
import dev.ralph.log.Topic;
import dev.ralph.log.TopicFilter;
import dev.ralph.spi.Snapshot;
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
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.Optional;
import java.util.Set;
import java.util.zip.CRC32C;
import org.jspecify.annotations.Nullable;

/** Stores each snapshot in a file with a checksum. Unreadable snapshots count as absent. */
public final class FileSnapshotStore implements SnapshotStore {

  /** The name of the file, in a store's folder, that lists the topics with erased frames. */
  public static final String ERASED = "erased";

  /**
   * The largest snapshot in bytes. Folding a larger state again takes hardly longer than reading
   * the snapshot.
   */
  private static final int LARGEST = 128 * 1024 * 1024;

  /** The most topics listed separately in {@link #ERASED}. The file is read often. */
  private static final int MOST_TOPICS = 100;

  private static final int LONGEST_WORD = (MOST_TOPICS + 1) * (Topic.MAX_LENGTH + 32);

  private static final List<Erased> UNREADABLE = List.of(new Erased(Long.MAX_VALUE, null));

  private static final int MAGIC = 0x52534e32;

  /** The magic number, the checksum and the length of the names. The names and the state follow. */
  private static final int HEADER = 2 * Integer.BYTES + Long.BYTES;

  private final StoreFiles files;
  private final Path directory;
  private final @Nullable Path erased;

  /**
   * States that end at or before a position may contain erased frames, and are neither saved nor
   * loaded.
   *
   * @param until the position of the last erased frame
   * @param topic the topic of the erased frames, or null if any topic may be affected
   */
  private record Erased(long until, @Nullable Topic topic) {}

  /**
   * Creates a snapshot store for a log that never erases frames. The first save creates the folder.
   */
  public FileSnapshotStore(Path directory) {
    this(new StoreFiles(directory), directory, null);
  }

  /**
   * Uses a folder, created with the first snapshot.
   *
   * @param files the files of the store that contains the folder
   * @param erased the file of any name in which {@link #erasing} informs other processes. The file
   *     must not be deleted with derived files. Null for a log that never erases frames
   */
  public FileSnapshotStore(StoreFiles files, Path directory, @Nullable Path erased) {
    this.files = files;
    this.directory = directory;
    this.erased = erased;
  }

  /**
   * Announces, durably, that frames up to a position will be erased. Afterwards no process saves or
   * loads a state of the frames' topics that ends at this position or before.
   *
   * @param position the end of the log
   * @param topics the topics of the frames
   */
  public void erasing(long position, Set<Topic> topics) throws IOException {
    Path word = Objects.requireNonNull(erased, "this log never erases frames");
    StringBuilder text = new StringBuilder();
    int kept = 0;
    if (topics.size() <= MOST_TOPICS) {
      for (Topic topic : topics) {
        text.append(position).append(' ').append(topic).append('\n');
        kept++;
      }
    }
    long ofAll = kept < topics.size() ? position : 0;
    for (Erased before : erasedBefore()) {
      Topic topic = before.topic;
      if (topic == null || kept == MOST_TOPICS) {
        ofAll = Math.max(ofAll, Math.min(before.until, position));
      } else if (!topics.contains(topic)) {
        text.append(before.until).append(' ').append(topic).append('\n');
        kept++;
      }
    }
    text.append(ofAll).append('\n');
    files.writeAtomically(word, text.toString().getBytes(StandardCharsets.US_ASCII), true);
  }

  /** Removes the snapshots of these topics, and all unfinished files of killed processes. */
  public void remove(Set<Topic> topics) throws IOException {
    files.checkFolder(directory);
    File[] all = directory.toFile().listFiles();
    if (all == null) {
      return;
    }
    for (File file : all) {
      if (!file.isDirectory() && !isOfOthers(file, topics)) {
        files.deleteIfExists(file.toPath());
      }
    }
    PrivateFiles.syncDirectory(directory);
  }

  /** Returns true if the file is a snapshot of other topics. */
  private boolean isOfOthers(File file, Set<Topic> topics) {
    try (RandomAccessFile in = files.openToRead(file)) {
      ByteBuffer header = ByteBuffer.wrap(PrivateFiles.read(in, HEADER));
      int nameLength = header.getInt(HEADER - Integer.BYTES);
      if (header.getInt() != MAGIC || nameLength < 0 || nameLength > file.length()) {
        return false;
      }
      byte[] names = PrivateFiles.read(in, nameLength);
      String name = new DataInputStream(new ByteArrayInputStream(names)).readUTF();
      if (!file.getName().equals(fileName(name))) {
        return false;
      }
      // A word of the fold's name may look like a topic. Removing such a snapshot does no harm.
      for (String word : name.split(" ")) {
        if (selectsAny(word, topics)) {
          return false;
        }
      }
      return true;
    } catch (IOException | RalphException e) {
      return false;
    }
  }

  private static boolean selectsAny(String word, Set<Topic> topics) {
    try {
      TopicFilter filter = TopicFilter.parse(word);
      return topics.stream().anyMatch(filter::matches);
    } catch (RalphException noPattern) {
      return false;
    }
  }

  private boolean mayHoldErased(Snapshot.Key key, Position position) throws IOException {
    for (Erased each : erasedBefore()) {
      if (position.value() <= each.until
          && (each.topic == null || key.filter().matches(each.topic))) {
        return true;
      }
    }
    return false;
  }

  /** Returns the recorded erasures, newest first. The last element covers all topics. */
  private List<Erased> erasedBefore() throws IOException {
    if (erased == null || !erased.toFile().exists()) {
      return List.of();
    }
    byte[] text = files.read(erased, LONGEST_WORD);
    List<Erased> all = new ArrayList<>();
    try {
      String lines = text == null ? "" : new String(text, StandardCharsets.US_ASCII);
      for (String line : lines.split("\n")) {
        int space = line.indexOf(' ');
        all.add(
            space < 0
                ? new Erased(Long.parseLong(line.trim()), null)
                : new Erased(
                    Long.parseLong(line.substring(0, space)), Topic.of(line.substring(space + 1))));
      }
      return !all.isEmpty() && all.get(all.size() - 1).topic == null ? all : UNREADABLE;
    } catch (NumberFormatException | RalphException e) {
      return UNREADABLE;
    }
  }

  @Override
  public Optional<Snapshot> load(Snapshot.Key key) {
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
      // in one piece, because the state may be large
      byte[] state = PrivateFiles.read(file, left - nameLength);
      if (checksum != checksum(names, state)) {
        return Optional.empty();
      }
      DataInputStream in = new DataInputStream(new ByteArrayInputStream(names));
      if (!in.readUTF().equals(name(key))) {
        return Optional.empty();
      }
      String frameId = in.readUTF();
      Position position = Position.of(in.readLong());
      if (mayHoldErased(key, position)) {
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
  public void save(Snapshot.Key key, Snapshot snapshot) {
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
      if (mayHoldErased(key, snapshot.position())) {
        return;
      }
      files.writeAtomically(file(key), whole, false);
      if (mayHoldErased(key, snapshot.position())) {
        files.deleteIfExists(file(key)); // frames were erased in the meantime
      }
    } catch (IOException | RalphException e) {
      unusable(key, e);
    }
  }

  private static Optional<Snapshot> unusable(Snapshot.Key key, Exception e) {
    System.getLogger(FileSnapshotStore.class.getName())
        .log(System.Logger.Level.DEBUG, "ignored the snapshot of " + name(key), e);
    return Optional.empty();
  }

  private Path file(Snapshot.Key key) {
    return directory.resolve(fileName(name(key)));
  }

  private static String fileName(String name) {
    return Long.toHexString(checksum(name.getBytes(StandardCharsets.UTF_8)))
        + "-"
        + Integer.toHexString(name.hashCode())
        + ".snapshot";
  }

  private static String name(Snapshot.Key key) {
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
