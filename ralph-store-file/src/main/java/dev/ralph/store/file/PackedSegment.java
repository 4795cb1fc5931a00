package dev.ralph.store.file;

import dev.ralph.store.support.internal.segment.SegmentSource;
import java.io.IOException;
import java.io.RandomAccessFile;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.util.Arrays;
import java.util.zip.CRC32;
import java.util.zip.DataFormatException;
import java.util.zip.Inflater;
import org.jspecify.annotations.Nullable;

/**
 * The bytes of a segment in a compressed file, which {@link PackedWriter} describes. A damaged
 * block is read as zeros, so that a reader reports its lines as damage and continues after the
 * block. Not thread-safe.
 */
final class PackedSegment implements SegmentSource {

  /** The number of uncompressed bytes in each block except the last. */
  static final int BLOCK_BYTES = 64 * 1024;

  /** The largest number of blocks, whose table fits in one field. */
  static final int MOST_BLOCKS = 16_000;

  /** The bytes of a block's header, up to its compressed data. */
  static final int HEADER_BYTES = 24;

  /** The checksum and the length at the end of a block. */
  static final int TRAILER_BYTES = 8;

  /** The last bytes of the file: the length of the table's block, and an empty gzip stream. */
  static final int END_BYTES = 14;

  /** The start of a gzip member with extra fields, without time and name. */
  static final byte[] GZIP = {0x1f, (byte) 0x8b, 8, 4, 0, 0, 0, 0, 0, (byte) 0xff};

  /** The bytes of the table's block without the lengths of the blocks. */
  static final int TABLE_BYTES = GZIP.length + 2 + 4 + 12 + END_BYTES;

  private final RandomAccessFile file;

  /** The offset of each block in the file, and the end of the last block. */
  private final long[] offsets;

  private final long length;
  private final Inflater inflater = new Inflater(true);
  private final byte[] block = new byte[BLOCK_BYTES];

  /** The number of the block in the array, or -1. */
  private int loaded = -1;

  private PackedSegment(RandomAccessFile file, Table table) {
    this.file = file;
    this.offsets = table.offsets;
    this.length = table.length;
  }

  /** The offsets of the blocks, and the number of uncompressed bytes. */
  private record Table(long[] offsets, long length) {}

  /**
   * Opens a segment.
   *
   * @param file the compressed file, which is closed with the segment or after a failure
   */
  static PackedSegment open(RandomAccessFile file) throws IOException {
    boolean done = false;
    try {
      Table table = readTable(file);
      PackedSegment opened = new PackedSegment(file, table == null ? searchBlocks(file) : table);
      done = true;
      return opened;
    } finally {
      if (!done) {
        file.close();
      }
    }
  }

  /** Returns the table at the end of the file, or null if the table is damaged. */
  private static @Nullable Table readTable(RandomAccessFile file) throws IOException {
    long size = file.length();
    if (size < TABLE_BYTES) {
      return null;
    }
    int tableBytes = buffer(bytes(file, size - END_BYTES, 4)).getInt();
    if (tableBytes < TABLE_BYTES
        || tableBytes > TABLE_BYTES + 4 * MOST_BLOCKS
        || tableBytes > size
        || tableBytes % 4 != TABLE_BYTES % 4) {
      return null;
    }
    byte[] table = bytes(file, size - tableBytes, tableBytes);
    ByteBuffer bytes = buffer(table);
    int count = (tableBytes - TABLE_BYTES) / 4;
    CRC32 crc = new CRC32();
    crc.update(table, 0, tableBytes - END_BYTES - 4);
    if (!Arrays.equals(table, 0, GZIP.length, GZIP, 0, GZIP.length)
        || bytes.getInt(tableBytes - END_BYTES - 4) != (int) crc.getValue()) {
      return null;
    }
    bytes.position(GZIP.length + 2 + 4);
    long length = bytes.getLong();
    long[] offsets = new long[count + 1];
    for (int i = 0; i < count; i++) {
      int blockBytes = bytes.getInt();
      if (blockBytes < HEADER_BYTES + TRAILER_BYTES || blockBytes > 2 * BLOCK_BYTES) {
        return null;
      }
      offsets[i + 1] = offsets[i] + blockBytes;
    }
    boolean fits =
        offsets[count] == size - tableBytes
            && length > (count - 1L) * BLOCK_BYTES
            && length <= (long) count * BLOCK_BYTES;
    return fits ? new Table(offsets, length) : null;
  }

  /** Finds the blocks by their headers, up to the first damaged header. */
  private static Table searchBlocks(RandomAccessFile file) throws IOException {
    long[] offsets = new long[64];
    long length = 0;
    int count = 0;
    long size = file.length();
    int more = BLOCK_BYTES;
    while (count < MOST_BLOCKS
        && more == BLOCK_BYTES
        && offsets[count] + HEADER_BYTES + TRAILER_BYTES <= size) {
      byte[] bytes = bytes(file, offsets[count], HEADER_BYTES);
      ByteBuffer header = buffer(bytes);
      int blockBytes = header.getInt(HEADER_BYTES - 8);
      more = header.getInt(HEADER_BYTES - 4);
      if (!Arrays.equals(bytes, 0, GZIP.length, GZIP, 0, GZIP.length)
          || header.get(GZIP.length + 2) != 'R'
          || header.get(GZIP.length + 3) != 'B'
          || blockBytes < HEADER_BYTES + TRAILER_BYTES
          || blockBytes > 2 * BLOCK_BYTES
          || offsets[count] + blockBytes > size
          || more <= 0
          || more > BLOCK_BYTES) {
        break;
      }
      if (count + 2 > offsets.length) {
        offsets = Arrays.copyOf(offsets, 2 * offsets.length);
      }
      offsets[count + 1] = offsets[count] + blockBytes;
      length += more;
      count++;
    }
    return new Table(Arrays.copyOf(offsets, count + 1), length);
  }

  private static byte[] bytes(RandomAccessFile file, long offset, int length) throws IOException {
    byte[] bytes = new byte[length];
    file.seek(offset);
    file.readFully(bytes);
    return bytes;
  }

  private static ByteBuffer buffer(byte[] bytes) {
    return ByteBuffer.wrap(bytes).order(ByteOrder.LITTLE_ENDIAN);
  }

  @Override
  public long length() {
    return length;
  }

  @Override
  public int read(long offset, byte[] to, int from, int most) throws IOException {
    int count = 0;
    while (count < most && offset + count < length) {
      long at = offset + count;
      int number = (int) (at / BLOCK_BYTES);
      load(number);
      int begin = (int) (at % BLOCK_BYTES);
      int more = Math.min(most - count, blockLength(number) - begin);
      System.arraycopy(block, begin, to, from + count, more);
      count += more;
    }
    return count;
  }

  private int blockLength(int number) {
    return (int) Math.min(BLOCK_BYTES, length - (long) number * BLOCK_BYTES);
  }

  private void load(int number) throws IOException {
    if (loaded == number) {
      return;
    }
    loaded = -1;
    byte[] bytes = bytes(file, offsets[number], (int) (offsets[number + 1] - offsets[number]));
    if (!inflate(bytes, blockLength(number))) {
      Arrays.fill(block, (byte) 0);
    }
    loaded = number;
  }

  /** Decompresses a block; returns false if the block is damaged. */
  private boolean inflate(byte[] bytes, int wanted) {
    inflater.reset();
    inflater.setInput(bytes, HEADER_BYTES, bytes.length - HEADER_BYTES - TRAILER_BYTES);
    try {
      if (inflater.inflate(block, 0, wanted) != wanted) {
        return false;
      }
    } catch (DataFormatException e) {
      return false;
    }
    CRC32 crc = new CRC32();
    crc.update(block, 0, wanted);
    ByteBuffer trailer = buffer(bytes);
    return trailer.getInt(bytes.length - TRAILER_BYTES) == (int) crc.getValue();
  }

  @Override
  public void close() throws IOException {
    inflater.end();
    file.close();
  }
}
