package dev.ralph.store.file;

import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.zip.CRC32C;

/**
 * The replacement of meta and content in the line of an erased frame:
 *
 * <pre>{@code
 * ,"x":"erased------------DaBbIoA"
 * }</pre>
 *
 * <p>A tombstone has exactly the length of the replaced text. Therefore no other line moves and no
 * position changes. The tombstone's last seven letters preserve the line's checksum. Therefore the
 * {@code after} field of the next line stays valid. CRC-32C is linear: flipping a bit of the text
 * flips checksum bits that depend only on the bit's distance from the end. So the bits to flip are
 * the solution of 32 linear equations.
 */
final class Tombstone {

  /** The number of letters that correct the checksum. */
  static final int LETTERS = 7;

  /** The length of the shortest tombstone. A shorter body has neither meta members nor content. */
  static final int SHORTEST = LogLine.ERASED.length + LETTERS + 1;

  private static final byte[] WORD = LogLine.ascii("erased");
  private static final byte BLANK = '-';

  /**
   * The letter without flipped bits; the next field lists the bits that may be flipped within
   * letters.
   */
  private static final byte LETTER = '@';

  private static final int[] FREE_BITS = {0, 1, 2, 3, 5};

  private static final int CHECKSUM_BITS = 32;

  /** For each checksum bit, the letter bits to flip so that only this checksum bit changes. */
  private static final long[] SOLUTIONS = solve();

  private Tombstone() {}

  /**
   * Writes a tombstone into a line and preserves the line's checksum.
   *
   * @param line an intact line, without its line break
   * @param from the start of the body, which ends at the checksum
   * @return the letters
   */
  static byte[] write(byte[] line, int from) {
    int to = line.length - LogLine.CRC_LENGTH;
    String checksum =
        new String(
            line, to + LogLine.CRC.length, LogLine.CHECKSUM_DIGITS, StandardCharsets.US_ASCII);
    byte[] letters = new byte[LETTERS];
    Arrays.fill(letters, LETTER);
    write(line, from, to, letters);
    CRC32C crc = new CRC32C();
    crc.update(line, 0, to);
    long differs = Long.parseLong(checksum, 16) ^ crc.getValue();
    long flips = 0;
    for (int bit = 0; bit < CHECKSUM_BITS; bit++) {
      if ((differs >>> bit & 1) != 0) {
        flips ^= SOLUTIONS[bit];
      }
    }
    flip(letters, flips);
    write(line, from, to, letters);
    return letters;
  }

  /** Writes a tombstone with these letters into a range of a buffer. */
  static void write(byte[] buffer, int from, int to, byte[] letters) {
    int text = from + LogLine.ERASED.length;
    int end = to - 1 - LETTERS;
    System.arraycopy(LogLine.ERASED, 0, buffer, from, LogLine.ERASED.length);
    Arrays.fill(buffer, text, end, BLANK);
    System.arraycopy(WORD, 0, buffer, text, Math.min(WORD.length, end - text));
    System.arraycopy(letters, 0, buffer, end, LETTERS);
    buffer[to - 1] = '"';
  }

  /** Returns true if the bytes are valid letters of a tombstone. */
  static boolean areLetters(byte[] letters) {
    int bits = 0;
    for (int bit : FREE_BITS) {
      bits |= 1 << bit;
    }
    boolean all = letters.length == LETTERS;
    for (byte letter : letters) {
      all &= (letter & ~bits) == LETTER;
    }
    return all;
  }

  private static void flip(byte[] letters, long flips) {
    for (int i = 0; i < LETTERS * FREE_BITS.length; i++) {
      if ((flips >>> i & 1) != 0) {
        letters[i / FREE_BITS.length] ^= (byte) (1 << FREE_BITS[i % FREE_BITS.length]);
      }
    }
  }

  /** Solves the equations for each checksum bit by Gaussian elimination. */
  private static long[] solve() {
    long[] effects = new long[CHECKSUM_BITS]; // indexed by the highest bit of the effect
    long[] causes = new long[CHECKSUM_BITS];
    for (int i = 0; i < LETTERS * FREE_BITS.length; i++) {
      long effect = effect(0) ^ effect(1L << i);
      long cause = 1L << i;
      while (effect != 0) {
        int highest = Long.SIZE - 1 - Long.numberOfLeadingZeros(effect);
        if (effects[highest] == 0) {
          effects[highest] = effect;
          causes[highest] = cause;
          break;
        }
        effect ^= effects[highest];
        cause ^= causes[highest];
      }
    }
    long[] solutions = new long[CHECKSUM_BITS];
    for (int bit = 0; bit < CHECKSUM_BITS; bit++) {
      long left = 1L << bit;
      while (left != 0) {
        int highest = Long.SIZE - 1 - Long.numberOfLeadingZeros(left);
        left ^= effects[highest];
        solutions[bit] ^= causes[highest];
      }
    }
    return solutions;
  }

  /** Returns the checksum of the letters with these bits flipped, followed by the quote. */
  private static long effect(long flips) {
    byte[] end = new byte[LETTERS + 1];
    byte[] letters = new byte[LETTERS];
    Arrays.fill(letters, LETTER);
    flip(letters, flips);
    System.arraycopy(letters, 0, end, 0, LETTERS);
    end[LETTERS] = '"';
    CRC32C crc = new CRC32C();
    crc.update(end);
    return crc.getValue();
  }
}
