package dev.ralph.examples.store;

import dev.ralph.log.IndeterminateException;
import dev.ralph.log.LockedException;
import dev.ralph.log.Meta;
import dev.ralph.log.Position;
import dev.ralph.log.RalphException;
import dev.ralph.log.Topic;
import dev.ralph.spi.PlainFrame;
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
 * Batches in one file, each a record: its length, its checksum, a checksum of those two, its bytes.
 * A record is the unit of all or nothing. Not for use by several threads at once.
 */
final class JournalFile implements AutoCloseable {

  static final String NAME = "journal";
  private static final String LOCK = "lock";

  /** What stands in a directory before anything was appended. */
  static final Set<String> FILES = Set.of(NAME, LOCK);

  private static final int CHECKSUM_AT = Integer.BYTES;
  private static final int OWN_CHECKSUM_AT = 2 * Integer.BYTES;
  private static final int HEADER = 3 * Integer.BYTES;

  /** The record that holds the id of the store. */
  private static final int FIRST_RECORD = HEADER + Scru128.LENGTH;

  /** What is open by this class; another class loader has another set. */
  private static final Set<Path> OPEN = ConcurrentHashMap.newKeySet();

  /**
   * Channels of lock files that others hold, to try again by. To close one would drop the lock that
   * another class loader of this process may have.
   */
  private static final Map<Path, AsynchronousFileChannel> WITHOUT_LOCK = new ConcurrentHashMap<>();

  private final Path directory;
  private final AsynchronousFileChannel lock;

  /** Not a channel, which the interrupt of one thread would close for all. */
  private final RandomAccessFile file;

  private boolean broken;

  private JournalFile(Path directory, AsynchronousFileChannel lock, RandomAccessFile file) {
    this.directory = directory;
    this.lock = lock;
    this.file = file;
  }

  /** Takes the batches of a journal, in order. */
  interface Reading {

    /** Takes one, and the newest id that had been minted when it was appended. */
    void batch(String batchId, String lastMinted, List<PlainFrame> frames);
  }

  /**
   * Opens the file of that directory, or makes it.
   *
   * @throws RalphException LOCKED if someone else has it open
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

  /** Takes the lock by a channel that neither an interrupt nor the garbage collector closes. */
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
        throw locked(directory); // another process has it
      }
    } catch (OverlappingFileLockException e) {
      throw locked(directory); // this one has it, by another class loader
    }
    WITHOUT_LOCK.remove(directory);
    return channel;
  }

  private static RalphException locked(Path directory) {
    return new LockedException(
        "someone has the journal in " + directory + " open; close that first", 0);
  }

  Path directory() {
    return directory;
  }

  /**
   * Reads every batch, and cuts off what an append that was killed left at the end.
   *
   * @param newStoreId for a journal that is empty
   * @return the id of the store, which is the first record
   * @throws RalphException DAMAGED if the first record, or one before the last, is not what was
   *     written
   */
  String replay(String newStoreId, Reading reading) {
    try {
      long end = file.length();
      if (end < FIRST_RECORD) { // it is new, or its maker was killed
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
        List<PlainFrame> batch = new ArrayList<>();
        for (int count = in.readInt(); count > 0; count--) {
          String id = in.readUTF();
          Topic topic = Topic.of(in.readUTF());
          Instant time = Instant.ofEpochMilli(in.readLong());
          Meta meta = Meta.stored(readText(in));
          String content = readText(in);
          batch.add(PlainFrame.of(id, topic, Position.of(++frames), time, meta, () -> content));
        }
        reading.batch(batchId, lastMinted, batch);
      }
      return new String(first, StandardCharsets.US_ASCII);
    } catch (IOException e) {
      throw failure("read", e);
    }
  }

  private static RalphException damaged(long at) {
    return RalphException.damaged(NAME + " is damaged at byte " + at + "; restore it from a copy");
  }

  /** Returns the bytes of the record, or null if it is not what was written. */
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
   * Returns whether more than a bad record stands there: then no append that was killed left it.
   */
  private boolean isFollowed(long start, long end) throws IOException {
    if (end - start > Integer.MAX_VALUE - HEADER) {
      return true; // no record is that long
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
   * @throws RalphException IO if it was not written, and nothing of it is left
   * @throws IndeterminateException if what was written of it could not be taken away
   */
  void append(String batchId, String lastMinted, List<PlainFrame> batch) {
    checkSound();
    try {
      byte[] bytes = encode(batchId, lastMinted, batch);
      long end = file.length();
      file.seek(end);
      try {
        file.write(record(bytes));
      } catch (IOException e) {
        takeAway(end, batchId, e);
        throw e;
      }
    } catch (IOException e) {
      throw failure("written", e);
    }
  }

  private void checkSound() {
    if (broken) {
      throw RalphException.io("an append to the journal failed; open it again");
    }
  }

  private void takeAway(long end, String batchId, IOException cause) {
    try {
      file.setLength(end);
    } catch (IOException e) {
      broken = true;
      cause.addSuppressed(e);
      throw new IndeterminateException(
          "it is not known whether batch " + batchId + " was written",
          batchId,
          Position.START,
          cause);
    }
  }

  private static byte[] record(byte[] bytes) {
    ByteBuffer record = ByteBuffer.allocate(HEADER + bytes.length);
    record.putInt(bytes.length).putInt(checksum(ByteBuffer.wrap(bytes)));
    record.putInt(checksum(record.slice(0, OWN_CHECKSUM_AT))).put(bytes);
    return record.array();
  }

  private static byte[] encode(String batchId, String lastMinted, List<PlainFrame> batch)
      throws IOException {
    ByteArrayOutputStream bytes = new ByteArrayOutputStream();
    DataOutputStream out = new DataOutputStream(bytes);
    out.writeUTF(batchId);
    out.writeUTF(lastMinted);
    out.writeInt(batch.size());
    for (PlainFrame frame : batch) {
      out.writeUTF(frame.id());
      out.writeUTF(frame.topic().name());
      out.writeLong(frame.time().toEpochMilli());
      writeText(out, frame.meta().json());
      writeText(out, frame.content());
    }
    return bytes.toByteArray();
  }

  /**
   * Makes what was appended survive a power cut.
   *
   * @throws RalphException IO if an earlier sync failed: another would say that all is well
   * @throws IndeterminateException if nobody can know whether it will
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

  private static RalphException failure(String what, IOException e) {
    return RalphException.io("the journal was not " + what + ": " + e.getMessage(), e);
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
