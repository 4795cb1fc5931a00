package dev.ralph.spi;

import dev.ralph.log.RalphException;
import java.nio.charset.StandardCharsets;
import java.time.Clock;
import java.util.Arrays;
import java.util.SplittableRandom;

/**
 * Generates SCRU128 ids. An id has 25 characters of base 36, which encode 48 bits of Unix
 * milliseconds, a counter of 24 + 24 bits, and 32 random bits. The ids of one generator increase
 * strictly, as text and as numbers, also if its clock goes back. Safe for use by many threads.
 *
 * <p>The random bits distinguish the ids of different generators. Ids are guessable: a {@code
 * SecureRandom} would take longer than all other work of a short command.
 */
public final class Scru128 {

  /** The number of characters of an id, all ASCII. */
  public static final int LENGTH = 25;

  private static final int RADIX = 36;

  /** The largest number of digits whose remainder and 32 more bits of the dividend fit a long. */
  private static final int CHUNK_DIGITS = 5;

  private static final long CHUNK = 60_466_176L;
  private static final int CHUNKS = LENGTH / CHUNK_DIGITS;
  private static final long LIMB = 0xffff_ffffL;
  private static final long MAX_TIMESTAMP = (1L << 48) - 1;
  private static final int MAX_COUNTER = (1 << 24) - 1;
  private static final long COUNTER_HI_MILLIS = 1000;
  private static final byte[] DIGITS =
      "0123456789abcdefghijklmnopqrstuvwxyz".getBytes(StandardCharsets.US_ASCII);

  private final Clock clock;
  private final SplittableRandom random;
  private long timestamp = -1;
  private int counterHi;
  private int counterLo;

  /** The timestamp of the last draw of the upper counter. */
  private long counterHiDrawn;

  /** The last id: its digits, the digits in groups of five from the left, and its bits. */
  private final byte[] digits = new byte[LENGTH];

  private final long[] chunks = new long[CHUNKS];
  private long high;
  private long low;

  /** Creates a generator with a clock. */
  public Scru128(Clock clock) {
    this.clock = clock;
    // Reading the process id for the seed would take longer than all other work of a short command.
    this.random =
        new SplittableRandom(
            System.nanoTime()
                ^ Long.rotateLeft(System.currentTimeMillis(), 40)
                ^ Long.rotateLeft(System.identityHashCode(this), 20));
    Arrays.fill(digits, DIGITS[0]);
  }

  /**
   * Returns an id larger than all earlier ids. Within one millisecond, and while the clock is
   * behind the last id, the counter increases and the time stays.
   *
   * @throws RalphException FULL if there is no larger id, in the year 10889
   */
  public synchronized String next() {
    mint();
    return new String(digits, StandardCharsets.ISO_8859_1);
  }

  /**
   * Writes the next id, like {@link #next()}, into an array as {@link #LENGTH} bytes of ASCII.
   *
   * @throws RalphException FULL if there is no larger id, in the year 10889
   */
  public synchronized void next(byte[] to, int at) {
    mint();
    System.arraycopy(digits, 0, to, at, LENGTH);
  }

  private void mint() {
    long now = Math.max(0, Math.min(clock.millis(), MAX_TIMESTAMP));
    if (now > timestamp) {
      startAt(now);
    } else {
      step();
    }
    long newHigh = timestamp << 16 | counterHi >>> 8;
    long newLow = (long) counterHi << 56 | (long) counterLo << 32 | random.nextInt() & LIMB;
    long more = newLow - low;
    if (newHigh == high && more > 0) {
      add(more);
    } else {
      encode(newHigh, newLow);
    }
    high = newHigh;
    low = newLow;
  }

  private void startAt(long millis) {
    if (timestamp < 0 || millis - counterHiDrawn >= COUNTER_HI_MILLIS) {
      counterHi = random.nextInt() >>> 8;
      counterHiDrawn = millis;
    }
    timestamp = millis;
    counterLo = random.nextInt() >>> 8;
  }

  private void step() {
    if (counterLo < MAX_COUNTER) {
      counterLo++;
    } else if (counterHi < MAX_COUNTER) {
      counterHi++;
      counterLo = 0;
    } else if (timestamp < MAX_TIMESTAMP) {
      counterHi = 0;
      startAt(timestamp + 1);
    } else {
      throw RalphException.full("the last id is the largest possible id");
    }
  }

  /**
   * Makes all later ids larger than an existing id of the same log. A store calls this method with
   * the newest id generated for the log, not with an imported id, after opening and after appends
   * of other processes. A smaller id has no effect.
   *
   * @throws RalphException INVALID if the text is not a SCRU128 id
   */
  public synchronized void advance(String lastMinted) {
    long[] bits = decode(lastMinted);
    long otherTimestamp = bits[0] >>> 16;
    int otherHi = (int) ((bits[0] & 0xffff) << 8 | bits[1] >>> 56);
    int otherLo = (int) (bits[1] >>> 32) & MAX_COUNTER;
    if (otherTimestamp != timestamp
        ? otherTimestamp < timestamp
        : otherHi != counterHi ? otherHi < counterHi : otherLo <= counterLo) {
      return;
    }
    if (otherTimestamp != timestamp) {
      counterHiDrawn = otherTimestamp;
    }
    timestamp = otherTimestamp;
    counterHi = otherHi;
    counterLo = otherLo;
  }

  /**
   * Returns the time of an id in Unix milliseconds.
   *
   * @throws RalphException INVALID if the text is not a SCRU128 id
   */
  public static long timestampMillis(String id) {
    return decode(id)[0] >>> 16;
  }

  /**
   * Adds to the digits of the last id. Ids of the same millisecond differ in ten digits only, so an
   * addition is cheaper than a conversion of all bits.
   */
  private void add(long more) {
    long carry = more;
    for (int i = CHUNKS - 1; carry > 0; i--) {
      long sum = chunks[i] + carry % CHUNK;
      carry /= CHUNK;
      if (sum >= CHUNK) {
        sum -= CHUNK;
        carry++;
      }
      putChunk(i, sum);
    }
  }

  /**
   * Converts the bits to digits, five digits per division, in limbs of 32 bits. After three
   * divisions of the whole number, the rest fits a long. Allocates nothing, because it runs for
   * each appended frame.
   */
  private void encode(long highBits, long lowBits) {
    long a = highBits >>> 32;
    long b = highBits & LIMB;
    long c = lowBits >>> 32;
    long d = lowBits & LIMB;
    for (int i = CHUNKS - 1; i > 1; i--) {
      b |= a % CHUNK << 32;
      a /= CHUNK;
      c |= b % CHUNK << 32;
      b /= CHUNK;
      d |= c % CHUNK << 32;
      c /= CHUNK;
      putChunk(i, d % CHUNK);
      d /= CHUNK;
    }
    long rest = c << 32 | d;
    putChunk(1, rest % CHUNK);
    putChunk(0, rest / CHUNK);
  }

  private void putChunk(int number, long chunk) {
    chunks[number] = chunk;
    int rest = (int) chunk;
    int from = number * CHUNK_DIGITS;
    for (int i = from + CHUNK_DIGITS - 1; i >= from; i--) {
      digits[i] = DIGITS[rest % RADIX];
      rest /= RADIX;
    }
  }

  /** Returns the upper and the lower 64 bits. */
  private static long[] decode(String id) {
    long a = 0;
    long b = 0;
    long c = 0;
    long d = 0;
    boolean wrong = id.length() != LENGTH;
    for (int i = 0; i < LENGTH && !wrong; i++) {
      char digit = id.charAt(i);
      boolean decimal = digit >= '0' && digit <= '9';
      d = d * RADIX + (decimal ? digit - '0' : digit - 'a' + 10);
      c = c * RADIX + (d >>> 32);
      b = b * RADIX + (c >>> 32);
      a = a * RADIX + (b >>> 32);
      d &= LIMB;
      c &= LIMB;
      b &= LIMB;
      wrong = !decimal && (digit < 'a' || digit > 'z') || a >>> 32 != 0;
    }
    if (wrong) {
      throw RalphException.invalid(
          "id "
              + RalphException.quote(id)
              + " must be 25 characters of 0-9 and a-z, no larger than"
              + " f5lxx1zz5pnorynqglhzmsp33");
    }
    return new long[] {a << 32 | b, c << 32 | d};
  }
}
