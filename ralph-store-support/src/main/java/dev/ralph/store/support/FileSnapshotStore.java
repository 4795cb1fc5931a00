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

/** Keeps each snapshot in a file of its own, checksummed; what can't be read counts as absent. */
public final class FileSnapshotStore implements SnapshotStore {

  /** The name of the file in a store's folder that says from which topics frames were erased. */
  public static final String ERASED = "erased";

  /** A larger state is folded again, which takes hardly longer than to read it. */
  private static final int LARGEST = 128 * 1024 * 1024;

  /** So many topics are told apart of those that something was erased of; it is read often. */
  private static final int MOST_TOPICS = 100;

  private static final int LONGEST_WORD = (MOST_TOPICS + 1) * (Topic.MAX_LENGTH + 32);

  private static final List<Erased> UNREADABLE = List.of(new Erased(Long.MAX_VALUE, null));

  private static final int MAGIC = 0x52534e32;

  /** What this is, the checksum, and how long the names are; these and the state follow. */
  private static final int HEADER = 2 * Integer.BYTES + Long.BYTES;

  private final StoreFiles files;
  private final Path directory;
  private final @Nullable Path erased;

  /**
   * No state of so few frames is kept or used any more.
   *
   * @param until where the last of them stands
   * @param topic of which it may be, or null for all
   */
  private record Erased(long until, @Nullable Topic topic) {}

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
   * a state of so few frames any more if it is of their topics.
   *
   * @param position where the log ends
   * @param topics of the frames
   */
  public void erasing(long position, Set<Topic> topics) throws IOException {
    Path word = Objects.requireNonNull(erased, "nothing is erased");
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

  /** Removes the snapshots of these topics, and what killed processes left of whatever else. */
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

  /** Returns whether a file is a snapshot, and of none of these topics. */
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
      // A word of the fold's name may look like a topic. Then the snapshot goes as well.
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

  /** Returns what was erased, the newest first, and at the end what is no longer told by topic. */
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
        files.deleteIfExists(file(key)); // erased in between
      }
    } catch (IOException | RalphException e) {
      unusable(key, e);
    }
  }

  private static Optional<Snapshot> unusable(Snapshot.Key key, Exception e) {
    System.getLogger(FileSnapshotStore.class.getName())
        .log(System.Logger.Level.DEBUG, "no use of the snapshot of " + name(key), e);
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
