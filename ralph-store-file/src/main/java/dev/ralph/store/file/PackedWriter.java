package dev.ralph.store.file;

import java.io.IOException;
import java.io.RandomAccessFile;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.util.ArrayList;
import java.util.List;
import java.util.zip.CRC32;
import java.util.zip.Deflater;

/**
 * Writes a compressed segment: a gzip file with one member for each block of {@link
 * PackedSegment#BLOCK_BYTES} bytes, so that a reader decompresses only the blocks that it needs.
 * The last member is empty, and has a table of the blocks in its extra field. Numbers have four
 * bytes, the length of the log has eight; the lowest byte is first.
 *
 * <pre>
 *   member   1f 8b 08 04 00000000 00 ff, 12 (2 bytes), "RB", 8 (2 bytes),
 *            length of the member, length of the block, deflated bytes, CRC-32, length of the block
 *   last     1f 8b 08 04 00000000 00 ff, length (2 bytes), "RT", length (2 bytes),
 *            length of the log, length of each member, CRC-32 of these bytes,
 *            length of the last member, 03 00, 00000000, 00000000
 * </pre>
 *
 * <p>Not thread-safe.
 */
final class PackedWriter implements SegmentCopy.Sink, AutoCloseable {

  private final RandomAccessFile out;
  private final Deflater deflater = new Deflater(Deflater.DEFAULT_COMPRESSION, true);
  private final byte[] block = new byte[PackedSegment.BLOCK_BYTES];
  private final byte[] packed = new byte[2 * PackedSegment.BLOCK_BYTES];
  private final List<Integer> members = new ArrayList<>();
  private int used;
  private long length;

  /**
   * Starts a file.
   *
   * @param out an empty file, which the caller closes
   */
  PackedWriter(RandomAccessFile out) {
    this.out = out;
  }

  @Override
  public void put(byte[] bytes, int from, int count) throws IOException {
    int done = 0;
    while (done < count) {
      int more = Math.min(count - done, block.length - used);
      System.arraycopy(bytes, from + done, block, used, more);
      used += more;
      done += more;
      if (used == block.length) {
        writeBlock();
      }
    }
  }

  private void writeBlock() throws IOException {
    if (members.size() == PackedSegment.MOST_BLOCKS) {
      throw new IOException("the segment is too long");
    }
    deflater.reset();
    deflater.setInput(block, 0, used);
    deflater.finish();
    int begin = PackedSegment.HEADER_BYTES;
    int deflated =
        deflater.deflate(packed, begin, packed.length - begin - PackedSegment.TRAILER_BYTES);
    int total = begin + deflated + PackedSegment.TRAILER_BYTES;
    CRC32 crc = new CRC32();
    crc.update(block, 0, used);
    ByteBuffer member = ByteBuffer.wrap(packed).order(ByteOrder.LITTLE_ENDIAN);
    member.put(PackedSegment.GZIP).putShort((short) 12).put((byte) 'R').put((byte) 'B');
    member.putShort((short) 8).putInt(total).putInt(used);
    member.position(begin + deflated);
    member.putInt((int) crc.getValue()).putInt(used);
    out.write(packed, 0, total);
    members.add(total);
    length += used;
    used = 0;
  }

  /** Writes the last block and the table. */
  void finish() throws IOException {
    if (used > 0) {
      writeBlock();
    }
    int total = PackedSegment.TABLE_BYTES + 4 * members.size();
    ByteBuffer table = ByteBuffer.allocate(total).order(ByteOrder.LITTLE_ENDIAN);
    int fields = total - PackedSegment.GZIP.length - 2 - 10;
    table.put(PackedSegment.GZIP).putShort((short) fields);
    table.put((byte) 'R').put((byte) 'T').putShort((short) (fields - 4)).putLong(length);
    members.forEach(table::putInt);
    CRC32 crc = new CRC32();
    crc.update(table.array(), 0, table.position());
    table.putInt((int) crc.getValue()).putInt(total).put((byte) 3).put((byte) 0).putLong(0);
    out.write(table.array());
  }

  @Override
  public void close() {
    deflater.end();
  }
}
