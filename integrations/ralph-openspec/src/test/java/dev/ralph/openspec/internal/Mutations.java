package dev.ralph.openspec.internal;

import java.nio.charset.StandardCharsets;
import java.util.Random;

/** Unusual task files: copies of a file with many kinds of lines, in which some bytes change. */
final class Mutations {

  private static final byte[] SEED =
      """
      # Tasks

      ## 1. Eins
      - [ ] 1.1 größer
        * [x] 1.2 b
      ## 2. Zwei
      ```
      1. [~] 2.1 c
      ```
      <!-- - [ ] 2.2 d -->
      - [] e [A](b)
      ### GIVEN f
      """
          .getBytes(StandardCharsets.UTF_8);

  private static final byte[] PIECES =
      "-[] x\n#.1`~*+)\r\t<!\u00e4\uFEFF".getBytes(StandardCharsets.UTF_8);

  private final Random random;

  /**
   * @param seed equal seeds return equal files
   */
  Mutations(long seed) {
    random = new Random(seed);
  }

  /** Returns a file with one to six changed bytes, and sometimes with lost or repeated lines. */
  byte[] next() {
    byte[] bytes = SEED.clone();
    for (int changes = 1 + random.nextInt(6); changes > 0; changes--) {
      bytes[random.nextInt(bytes.length)] =
          random.nextInt(4) == 0
              ? (byte) random.nextInt(256)
              : PIECES[random.nextInt(PIECES.length)];
    }
    if (random.nextInt(8) > 0) {
      return bytes;
    }
    int from = random.nextInt(bytes.length);
    int length = random.nextInt(bytes.length - from);
    byte[] moved = new byte[bytes.length + length];
    System.arraycopy(bytes, 0, moved, 0, from + length);
    System.arraycopy(bytes, from, moved, from + length, bytes.length - from);
    return random.nextBoolean() ? moved : java.util.Arrays.copyOf(bytes, from);
  }

  /** Returns a random number from 0 to {@code count - 1}. */
  int choose(int count) {
    return random.nextInt(count);
  }
}
