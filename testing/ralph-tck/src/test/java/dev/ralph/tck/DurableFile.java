package dev.ralph.tck;

import static dev.ralph.tck.internal.Reading.read;

import dev.ralph.log.Damage;
import dev.ralph.log.Draft;
import dev.ralph.log.Frame;
import dev.ralph.log.Meta;
import dev.ralph.log.Position;
import dev.ralph.log.Topic;
import dev.ralph.store.support.PrivateFiles;
import dev.ralph.tck.internal.Reading;
import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.io.DataInputStream;
import java.io.DataOutputStream;
import java.io.IOException;
import java.io.RandomAccessFile;
import java.io.UncheckedIOException;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.zip.CRC32C;
import org.jspecify.annotations.Nullable;

/**
 * The file of a {@link DurableStore}, with a record per batch: length, checksum, checksum of these
 * two fields, content. An incomplete record at the end is being written, or was left by a killed
 * process. Not thread-safe.
 */
final class DurableFile implements AutoCloseable {

  private static final int HEADER = 3 * Integer.BYTES;
  private static final int SHORT_CONTENT = 1_000;
  private static final int FRAMES_IN_A_BATCH = 1_024;

  private final Path path;
  private final RandomAccessFile file;

  DurableFile(Path path) {
    this.path = path;
    try {
      this.file = new RandomAccessFile(path.toFile(), "rw");
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  /** A batch with its frames; a damaged batch has only the frames with a correct checksum. */
  record Stored(String batchId, String lastMinted, List<Frame> frames) {}

  /** Receives the content of the file in order. */
  interface Reading {
    void batch(Stored batch);

    /** Receives a damaged range, and the batch guessed from it. */
    void damage(Damage damage, @Nullable Stored guess);
  }

  /** Reads from an offset to the end, and returns the offset of the first incomplete record. */
  long read(long from, Reading reading) {
    return read(from, Long.MAX_VALUE, reading);
  }

  /** Reads from an offset to a limit, and returns the offset of the first incomplete record. */
  long read(long from, long limit, Reading reading) {
    try {
      long end = Math.min(file.length(), limit);
      long offset = from;
      while (end - offset >= HEADER) {
        int length = length(offset);
        long next = length < 0 ? nextHeader(offset + 1, end) : offset + HEADER + length;
        if (next < 0 || next > end) {
          return offset;
        }
        byte[] bytes = length < 0 ? new byte[0] : bytes(offset + HEADER, length);
        if (length >= 0 && checksum(bytes) == ByteBuffer.wrap(bytes(offset, HEADER)).getInt(4)) {
          reading.batch(decode(offset, bytes));
        } else if (next == end) {
          return offset; // may be an incomplete append
        } else {
          Damage damage = new Damage("log", offset, next - offset, 1, "bad checksum");
          reading.damage(damage, guess(offset, bytes));
        }
        offset = next;
      }
      return offset;
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  /** Returns the length of the record at an offset, or -1 if there is none. */
  private int length(long offset) throws IOException {
    ByteBuffer header = ByteBuffer.wrap(bytes(offset, HEADER));
    byte[] checked = new byte[2 * Integer.BYTES];
    header.get(0, checked);
    return header.getInt(checked.length) == checksum(checked) ? header.getInt(0) : -1;
  }

  private long nextHeader(long from, long end) throws IOException {
    for (long offset = from; end - offset >= HEADER; offset++) {
      if (length(offset) >= 0) {
        return offset;
      }
    }
    return -1;
  }

  private byte[] bytes(long offset, int length) throws IOException {
    byte[] bytes = new byte[length];
    file.seek(offset);
    file.readFully(bytes);
    return bytes;
  }

  private static int checksum(byte[] bytes) {
    CRC32C checksum = new CRC32C();
    checksum.update(bytes);
    return (int) checksum.getValue();
  }

  private @Nullable Stored guess(long offset, byte[] bytes) {
    try {
      return decode(offset, bytes);
    } catch (IOException | RuntimeException e) {
      return null;
    }
  }

  // ---- records

  static byte[] record(String batchId, String lastMinted, List<Draft> drafts) {
    try {
      ByteArrayOutputStream bytes = new ByteArrayOutputStream();
      DataOutputStream out = new DataOutputStream(bytes);
      out.writeUTF(batchId);
      out.writeUTF(lastMinted);
      out.writeInt(drafts.size());
      for (Draft draft : drafts) {
        byte[] frame = encode(draft);
        out.writeInt(frame.length);
        out.writeInt(checksum(frame));
        out.write(frame);
      }
      byte[] payload = bytes.toByteArray();
      ByteBuffer record = ByteBuffer.allocate(HEADER + payload.length);
      record.putInt(payload.length).putInt(checksum(payload));
      byte[] checked = new byte[2 * Integer.BYTES];
      record.get(0, checked);
      return record.putInt(checksum(checked)).put(payload).array();
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  private static byte[] encode(Draft draft) throws IOException {
    ByteArrayOutputStream bytes = new ByteArrayOutputStream();
    DataOutputStream out = new DataOutputStream(bytes);
    out.writeUTF(String.valueOf(draft.id()));
    out.writeUTF(draft.topic().name());
    out.writeUTF(String.valueOf(draft.time()));
    byte[] meta = draft.meta().json().getBytes(StandardCharsets.UTF_8); // too long for writeUTF
    out.writeInt(meta.length);
    out.write(meta);
    out.write(draft.content().getBytes(StandardCharsets.UTF_8));
    return bytes.toByteArray();
  }

  /** Returns the batch of a record at an offset. */
  Stored decoded(long offset, byte[] record) {
    try {
      return decode(offset, ByteBuffer.wrap(record).slice(HEADER, record.length - HEADER));
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  private Stored decode(long offset, byte[] payload) throws IOException {
    return decode(offset, ByteBuffer.wrap(payload));
  }

  private Stored decode(long offset, ByteBuffer payload) throws IOException {
    byte[] bytes = new byte[payload.remaining()];
    payload.get(bytes);
    DataInputStream in = new DataInputStream(new ByteArrayInputStream(bytes));
    String batchId = in.readUTF();
    String lastMinted = in.readUTF();
    int count = in.readInt();
    List<Frame> frames = new ArrayList<>();
    for (int i = 1; i <= count; i++) {
      int length = in.readInt();
      int checksum = in.readInt();
      byte[] frame = in.readNBytes(length);
      long at = offset + HEADER + bytes.length - in.available() - length;
      Position position = Position.of(offset * FRAMES_IN_A_BATCH + i);
      frames.add(decodeFrame(position, frame, at, checksum(frame) == checksum));
    }
    return new Stored(batchId, lastMinted, frames);
  }

  private StoredFrame decodeFrame(Position position, byte[] frame, long at, boolean sound)
      throws IOException {
    DataInputStream in = new DataInputStream(new ByteArrayInputStream(frame));
    String id = in.readUTF();
    Topic topic = Topic.of(in.readUTF());
    Instant time = Instant.parse(in.readUTF());
    byte[] json = in.readNBytes(in.readInt());
    Meta meta = Meta.stored(new String(json, StandardCharsets.UTF_8));
    int length = in.available();
    String content =
        length > SHORT_CONTENT ? null : new String(in.readAllBytes(), StandardCharsets.UTF_8);
    return new StoredFrame(
        this, id, topic, position, time, meta, content, at + frame.length - length, length, sound);
  }

  /** A frame whose long content stays in the file. */
  record StoredFrame(
      DurableFile file,
      String id,
      Topic topic,
      Position position,
      Instant time,
      Meta meta,
      @Nullable String shortContent,
      long contentAt,
      int contentLength,
      boolean isSound)
      implements Frame {

    @Override
    public String content() {
      return shortContent != null ? shortContent : file.text(contentAt, contentLength);
    }
  }

  /** Opens the file separately, because any thread may call this method. */
  private String text(long offset, int length) {
    try (RandomAccessFile own = new RandomAccessFile(path.toFile(), "r")) {
      byte[] bytes = new byte[length];
      own.seek(offset);
      own.readFully(bytes);
      return new String(bytes, StandardCharsets.UTF_8);
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  // ---- writing

  /** Returns the announced end of the file, which is kept in a second file; 0 at first. */
  long announcedEnd() {
    try {
      Path announced = path.resolveSibling("told");
      return Files.exists(announced) ? Long.parseLong(Files.readString(announced)) : 0;
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  void announceEnd(long end) {
    PrivateFiles.writeAtomically(
        path.resolveSibling("told"), Long.toString(end).getBytes(StandardCharsets.US_ASCII), false);
  }

  void write(long offset, byte[] record) {
    try {
      file.seek(offset);
      file.write(record);
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  long length() {
    try {
      return file.length();
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  void cut(long offset) {
    try {
      file.setLength(offset);
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  void sync() {
    try {
      file.getFD().sync();
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  @Override
  public void close() {
    try {
      file.close();
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }
}
