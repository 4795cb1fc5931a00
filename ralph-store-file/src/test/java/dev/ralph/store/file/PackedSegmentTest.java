package dev.ralph.store.file;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.io.RandomAccessFile;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.Random;
import java.util.zip.GZIPInputStream;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Compressed segments, intact and with damaged blocks and tables. */
class PackedSegmentTest {

  private static final int BLOCK = PackedSegment.BLOCK_BYTES;

  @TempDir Path directory;
  private Path file;

  @BeforeEach
  void nameFile() {
    file = directory.resolve("packed");
  }

  /** Returns text that deflates to about half of its length. */
  private static byte[] text(int length) {
    byte[] bytes = new byte[length];
    new Random(length).nextBytes(bytes);
    for (int i = 0; i < length; i++) {
      bytes[i] = (byte) ('a' + (bytes[i] & 15));
    }
    return bytes;
  }

  private void write(byte[] bytes) throws IOException {
    Files.deleteIfExists(file);
    try (RandomAccessFile out = new RandomAccessFile(file.toFile(), "rw");
        PackedWriter writer = new PackedWriter(out)) {
      for (int at = 0; at < bytes.length; at += 10_000) {
        writer.put(bytes, at, Math.min(10_000, bytes.length - at));
      }
      writer.finish();
    }
  }

  private PackedSegment open() throws IOException {
    return PackedSegment.open(new RandomAccessFile(file.toFile(), "r"));
  }

  private byte[] readAll() throws IOException {
    try (PackedSegment in = open()) {
      byte[] all = new byte[(int) in.length()];
      in.readFully(0, all);
      return all;
    }
  }

  @ParameterizedTest
  @ValueSource(ints = {0, 1, 100, BLOCK - 1, BLOCK, BLOCK + 1, 5 * BLOCK + 77})
  void writtenBytes_areRead(int length) throws IOException {
    byte[] bytes = text(length);
    write(bytes);

    assertThat(readAll()).isEqualTo(bytes);
    try (GZIPInputStream in = new GZIPInputStream(Files.newInputStream(file))) {
      assertThat(in.readAllBytes()).isEqualTo(bytes);
    }
  }

  @Test
  void incompressibleBytes_areRead() throws IOException {
    byte[] bytes = new byte[3 * BLOCK + 5];
    new Random(1).nextBytes(bytes);
    write(bytes);

    assertThat(readAll()).isEqualTo(bytes);
  }

  @Test
  void anyRange_isRead() throws IOException {
    byte[] bytes = text(4 * BLOCK + 1000);
    write(bytes);
    Random random = new Random(3);
    try (PackedSegment in = open()) {
      for (int i = 0; i < 200; i++) {
        int from = random.nextInt(bytes.length);
        byte[] part = new byte[random.nextInt(bytes.length - from + 1)];
        in.readFully(from, part);
        assertThat(part).isEqualTo(Arrays.copyOfRange(bytes, from, from + part.length));
      }
      assertThat(in.read(bytes.length, new byte[1], 0, 1)).isZero();
    }
  }

  @Test
  void damagedBlock_isReadAsZeros() throws IOException {
    byte[] bytes = text(3 * BLOCK);
    write(bytes);
    byte[] packed = Files.readAllBytes(file);
    packed[packed.length / 2] ^= 4;
    Files.write(file, packed);

    Arrays.fill(bytes, BLOCK, 2 * BLOCK, (byte) 0);
    assertThat(readAll()).isEqualTo(bytes);
  }

  @Test
  void anyFlippedBit_damagesAtMostOneBlock() throws IOException {
    byte[] bytes = text(3 * BLOCK + 100);
    write(bytes);
    byte[] packed = Files.readAllBytes(file);
    int end = packed.length;
    for (int at = 0; at < end; at += at < 64 || at > end - 128 ? 1 : 997) {
      byte[] flipped = packed.clone();
      flipped[at] ^= (byte) (1 << at % 8);
      Files.write(file, flipped);
      byte[] read = readAll();
      assertThat(read).as("length after byte %s", at).hasSize(bytes.length);
      int damaged = 0;
      for (int from = 0; from < bytes.length; from += BLOCK) {
        int to = Math.min(bytes.length, from + BLOCK);
        boolean isEqual = Arrays.equals(read, from, to, bytes, from, to);
        damaged += isEqual ? 0 : 1;
        assertThat(isEqual || Arrays.equals(read, from, to, new byte[to - from], 0, to - from))
            .as("block at %s after byte %s", from, at)
            .isTrue();
      }
      assertThat(damaged).as("damaged blocks after byte %s", at).isLessThanOrEqualTo(1);
    }
  }

  @Test
  void anyTruncation_isReadWithoutFailure() throws IOException {
    byte[] bytes = text(2 * BLOCK);
    write(bytes);
    byte[] packed = Files.readAllBytes(file);
    for (int length = 0; length < packed.length; length += length > packed.length - 100 ? 1 : 501) {
      Files.write(file, Arrays.copyOf(packed, length));
      byte[] read = readAll();
      assertThat(read.length % BLOCK).isZero();
      assertThat(read).isEqualTo(Arrays.copyOf(bytes, read.length));
    }
  }
}
