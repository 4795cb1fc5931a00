package dev.ralph.examples.store;

import dev.ralph.log.Frame;
import dev.ralph.log.IndeterminateException;
import dev.ralph.log.LockedException;
import dev.ralph.log.Meta;
import dev.ralph.log.Position;
import dev.ralph.log.RalphException;
import dev.ralph.log.Topic;
import dev.ralph.spi.Scru128;
import dev.ralph.store.support.PrivateFiles;
import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.io.DataInputStream;
import java.io.DataOutputStream;
import java.io.IOException;
import java.io.RandomAccessFile;
import java.nio.ByteBuffer;
import java.nio.channels.AsynchronousFileChannel;
import java.nio.channels.OverlappingFileLockException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.zip.CRC32C;
import org.jspecify.annotations.Nullable;

/**
 * Batches in a single file. Each batch is a record: length, checksum of the content, checksum of
 * these two fields, content. A record is written completely or not at all. Not thread-safe.
 */
final class JournalFile implements AutoCloseable {

  static final String NAME = "journal";
  private static final String LOCK = "lock";

  /** The files that a directory may contain before the first append. */
  static final Set<String> FILES = Set.of(NAME, LOCK);

  private static final int CHECKSUM_AT = Integer.BYTES;
  private static final int OWN_CHECKSUM_AT = 2 * Integer.BYTES;
  private static final int HEADER = 3 * Integer.BYTES;

  /** The length of the first record, which holds the id of the store. */
  private static final int FIRST_RECORD = HEADER + Scru128.LENGTH;

  /** The directories opened by this class; each class loader has a separate set. */
  private static final Set<Path> OPEN = ConcurrentHashMap.newKeySet();

  /**
   * Channels of lock files that another process or class loader holds, kept for the next attempt.
   * Closing a channel would release a lock that another class loader of this process may hold.
   */
  private static final Map<Path, AsynchronousFileChannel> WITHOUT_LOCK = new ConcurrentHashMap<>();

  private final Path directory;
  private final AsynchronousFileChannel lock;

  /** Not a channel, because an interrupted thread would close the channel for all threads. */
  private final RandomAccessFile file;

  private boolean broken;

  private JournalFile(Path directory, AsynchronousFileChannel lock, RandomAccessFile file) {
    this.directory = directory;
    this.lock = lock;
    this.file = file;
  }

  /** Receives the batches of a journal in order. */
  interface Reading {

    /** Receives a batch and the newest id minted at the time of its append. */
    void batch(String batchId, String lastMinted, List<Frame> frames);
  }

  /**
   * Opens the journal of a directory; creates the journal if none exists.
   *
   * @throws RalphException LOCKED if another user has the journal open
   */
  static JournalFile open(Path directory) {
    try {
      PrivateFiles.createDirectories(directory);
      Path real = directory.toRealPath();
      if (!OPEN.add(real)) {
        throw locked(directory);
      }
      AsynchronousFileChannel lock = null;
      try {
        lock = lock(real);
        PrivateFiles.createFile(real.resolve(NAME));
        return new JournalFile(real, lock, new RandomAccessFile(real.resolve(NAME).toFile(), "rw"));
      } catch (IOException | RuntimeException e) {
        if (lock != null) {
          lock.close();
        }
        OPEN.remove(real);
        throw e;
      }
    } catch (IOException e) {
      throw failure("opened", e);
    }
  }

  /** Acquires the lock on a channel that neither an interrupt nor the garbage collector closes. */
  private static AsynchronousFileChannel lock(Path directory) throws IOException {
    AsynchronousFileChannel channel = WITHOUT_LOCK.get(directory);
    if (channel == null) {
      Path file = directory.resolve(LOCK);
      PrivateFiles.createFile(file);
      channel = AsynchronousFileChannel.open(file, StandardOpenOption.WRITE);
      WITHOUT_LOCK.put(directory, channel);
    }
    try {
      if (channel.tryLock() == null) {
        throw locked(directory); // held by another process
      }
    } catch (OverlappingFileLockException e) {
      throw locked(directory); // held by another class loader of this process
    }
    WITHOUT_LOCK.remove(directory);
    return channel;
  }

  private static RalphException locked(Path directory) {
    return new LockedException(
        "the journal in " + directory + " is already open; close the owner's journal first", 0);
  }

  Path directory() {
    return directory;
  }

  /**
   * Reads all batches and removes an incomplete last record, which a killed append has left.
   *
   * @param newStoreId the id for an empty journal
   * @return the id of the store, from the first record
   * @throws RalphException DAMAGED if a record is damaged and a killed append cannot be the cause
   */
  String replay(String newStoreId, Reading reading) {
    try {
      long end = file.length();
      if (end < FIRST_RECORD) { // a new file, or its creator was killed
        file.setLength(0);
        file.write(record(newStoreId.getBytes(StandardCharsets.US_ASCII)));
        file.getFD().sync();
        PrivateFiles.syncDirectory(directory);
        return newStoreId;
      }
      file.seek(0);
      byte[] first = readRecord(end);
      if (first == null) {
        throw damaged(0);
      }
      long frames = 0;
      while (file.getFilePointer() < end) {
        long start = file.getFilePointer();
        byte[] bytes = readRecord(end);
        if (bytes == null && isFollowed(start, end)) {
          throw damaged(start);
        }
        if (bytes == null) {
          file.setLength(start);
          break;
        }
        DataInputStream in = new DataInputStream(new ByteArrayInputStream(bytes));
        String batchId = in.readUTF();
        String lastMinted = in.readUTF();
        List<Frame> batch = new ArrayList<>();
        for (int count = in.readInt(); count > 0; count--) {
          String id = in.readUTF();
          Topic topic = Topic.of(in.readUTF());
          Instant time = Instant.ofEpochMilli(in.readLong());
          Meta meta = Meta.stored(readText(in));
          String content = readText(in);
          batch.add(Frame.of(id, topic, Position.of(++frames), time, meta, () -> content));
        }
        reading.batch(batchId, lastMinted, batch);
      }
      return new String(first, StandardCharsets.US_ASCII);
    } catch (IOException e) {
      throw failure("read", e);
    }
  }

  private static RalphException damaged(long at) {
    return RalphException.damaged(
        NAME + " is damaged at byte " + at + "; restore the file from a backup");
  }

  /** Returns the content of the next record, or null if the record is incomplete or damaged. */
  private byte @Nullable [] readRecord(long end) throws IOException {
    long left = end - file.getFilePointer() - HEADER;
    if (left < 0) {
      return null;
    }
    ByteBuffer header = ByteBuffer.allocate(HEADER);
    file.readFully(header.array());
    if (!isHeader(header, 0) || header.getInt(0) > left) {
      return null;
    }
    byte[] bytes = new byte[header.getInt(0)];
    file.readFully(bytes);
    return checksum(ByteBuffer.wrap(bytes)) == header.getInt(CHECKSUM_AT) ? bytes : null;
  }

  /**
   * Returns whether bytes follow a bad record, and thus the record is not the rest of a killed
   * append.
   */
  private boolean isFollowed(long start, long end) throws IOException {
    if (end - start > Integer.MAX_VALUE - HEADER) {
      return true; // no record can be this long
    }
    ByteBuffer rest = ByteBuffer.allocate((int) (end - start));
    file.seek(start);
    file.readFully(rest.array());
    for (int at = 0; at <= rest.capacity() - HEADER; at++) {
      if (isHeader(rest, at)) {
        return at > 0 || rest.getInt(0) < rest.capacity() - HEADER;
      }
    }
    return false;
  }

  private static boolean isHeader(ByteBuffer bytes, int at) {
    return checksum(bytes.slice(at, OWN_CHECKSUM_AT)) == bytes.getInt(at + OWN_CHECKSUM_AT);
  }

  /**
   * Appends a record.
   *
   * @throws RalphException IO if the record was not written and its bytes were removed
   * @throws IndeterminateException if written bytes could not be removed
   */
  void append(String batchId, String lastMinted, List<Frame> batch) {
    checkSound();
    try {
      byte[] bytes = encode(batchId, lastMinted, batch);
      long end = file.length();
      file.seek(end);
      try {
        file.write(record(bytes));
      } catch (IOException e) {
        removeIncomplete(end, batchId, e);
        throw e;
      }
    } catch (IOException e) {
      throw failure("written", e);
    }
  }

  private void checkSound() {
    if (broken) {
      throw RalphException.io("an append to the journal failed; close and reopen the journal");
    }
  }

  private void removeIncomplete(long end, String batchId, IOException cause) {
    try {
      file.setLength(end);
    } catch (IOException e) {
      broken = true;
      cause.addSuppressed(e);
      throw new IndeterminateException(
          "batch " + batchId + " may or may not be written", batchId, Position.START, cause);
    }
  }

  private static byte[] record(byte[] bytes) {
    ByteBuffer record = ByteBuffer.allocate(HEADER + bytes.length);
    record.putInt(bytes.length).putInt(checksum(ByteBuffer.wrap(bytes)));
    record.putInt(checksum(record.slice(0, OWN_CHECKSUM_AT))).put(bytes);
    return record.array();
  }

  private static byte[] encode(String batchId, String lastMinted, List<Frame> batch)
      throws IOException {
    ByteArrayOutputStream bytes = new ByteArrayOutputStream();
    DataOutputStream out = new DataOutputStream(bytes);
    out.writeUTF(batchId);
    out.writeUTF(lastMinted);
    out.writeInt(batch.size());
    for (Frame frame : batch) {
      out.writeUTF(frame.id());
      out.writeUTF(frame.topic().name());
      out.writeLong(frame.time().toEpochMilli());
      writeText(out, frame.meta().json());
      writeText(out, frame.content());
    }
    return bytes.toByteArray();
  }

  /**
   * Makes appended records survive a power failure.
   *
   * @throws RalphException IO if an earlier sync failed, because a later success would prove
   *     nothing
   * @throws IndeterminateException if the sync failed; the records may be lost
   */
  void sync(String batchId) {
    checkSound();
    try {
      file.getFD().sync();
    } catch (IOException e) {
      broken = true;
      throw new IndeterminateException(
          "batch " + batchId + " was written, but not synced", batchId, Position.START, true, e);
    }
  }

  private static void writeText(DataOutputStream out, String text) throws IOException {
    byte[] bytes = text.getBytes(StandardCharsets.UTF_8);
    out.writeInt(bytes.length);
    out.write(bytes);
  }

  private static String readText(DataInputStream in) throws IOException {
    return new String(in.readNBytes(in.readInt()), StandardCharsets.UTF_8);
  }

  private static int checksum(ByteBuffer bytes) {
    CRC32C checksum = new CRC32C();
    checksum.update(bytes);
    return (int) checksum.getValue();
  }

  private static RalphException failure(String verb, IOException e) {
    return RalphException.io("the journal was not " + verb + ": " + e.getMessage(), e);
  }

  @Override
  public void close() {
    try {
      try {
        file.close();
      } finally {
        lock.close();
      }
    } catch (IOException e) {
      throw failure("closed", e);
    } finally {
      OPEN.remove(directory);
    }
  }
}
