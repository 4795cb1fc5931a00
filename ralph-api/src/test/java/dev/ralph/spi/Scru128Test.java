package dev.ralph.spi;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.ralph.log.RalphException;
import java.math.BigInteger;
import java.nio.charset.StandardCharsets;
import java.time.Clock;
import java.time.Instant;
import java.time.ZoneId;
import java.time.ZoneOffset;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;
import java.util.concurrent.ConcurrentSkipListSet;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class Scru128Test {

  private static final long NOW = 1_789_000_000_123L;
  private static final String LARGEST = "f5lxx1zz5pnorynqglhzmsp33";

  private final SteppedClock clock = new SteppedClock(NOW);
  private final Scru128 ids = new Scru128(clock);

  @Test
  void idsOfMillisecond_increase() {
    String last = "";
    for (int i = 0; i < 1_000_000; i++) {
      String id = ids.next();
      if (id.compareTo(last) <= 0) {
        assertThat(id).isGreaterThan(last);
      }
      last = id;
    }
    assertThat(Scru128.timestampMillis(last)).isEqualTo(NOW);
  }

  @Test
  void id_has25Base36DigitsWithinRange() {
    for (int i = 0; i < 10_000; i++) {
      clock.millis += i;
      assertThat(ids.next()).matches("[0-9a-z]{25}").isLessThanOrEqualTo(LARGEST);
    }
  }

  @ParameterizedTest
  @ValueSource(longs = {0, 1, 999, NOW, (1L << 48) - 1})
  void id_containsTime(long millis) {
    clock.millis = millis;
    assertThat(Scru128.timestampMillis(ids.next())).isEqualTo(millis);
  }

  @Test
  void id_isBase36Number() {
    BigInteger number = new BigInteger(ids.next(), 36);
    assertThat(number.shiftRight(80).longValueExact()).isEqualTo(NOW);
  }

  @Test
  void idsUnderUnsteadyClock_increase() {
    List<String> minted = new ArrayList<>();
    for (long step : new long[] {0, -1, -3_600_000, 5, 7_200_000, -10_800_000, 1, 86_400_000}) {
      clock.millis += step;
      for (int i = 0; i < 100; i++) {
        minted.add(ids.next());
      }
    }
    assertThat(new TreeSet<>(minted)).hasSize(minted.size()).containsExactlyElementsOf(minted);
  }

  @Test
  void clockSetBack_keepsTimeOfLastId() {
    ids.next();
    clock.millis -= 60_000;
    assertThat(Scru128.timestampMillis(ids.next())).isEqualTo(NOW);
  }

  @Test
  void lowBits_areRandom() {
    BigInteger low = BigInteger.ONE.shiftLeft(32).subtract(BigInteger.ONE);
    Set<BigInteger> seen = new TreeSet<>();
    for (int i = 0; i < 100; i++) {
      seen.add(new BigInteger(ids.next(), 36).and(low));
    }
    assertThat(seen).hasSizeGreaterThan(98);
  }

  @Test
  void counter_incrementsWithinMillisecond() {
    BigInteger first = new BigInteger(ids.next(), 36).shiftRight(32);
    BigInteger second = new BigInteger(ids.next(), 36).shiftRight(32);
    assertThat(second).isEqualTo(first.add(BigInteger.ONE));
  }

  @Test
  void consecutiveIds_areConsecutiveNumbers() {
    BigInteger last = new BigInteger(ids.next(), 36).shiftRight(32);
    for (int i = 0; i < 1_000_000; i++) { // enough steps to carry into high digits
      BigInteger next = new BigInteger(ids.next(), 36).shiftRight(32);
      if (!next.equals(last.add(BigInteger.ONE))) {
        assertThat(next).as("id %d", i).isEqualTo(last.add(BigInteger.ONE));
      }
      last = next;
    }
  }

  @Test
  void id_isWrittenIntoByteArray() {
    ids.advance(id(NOW, 7, 8, 0));
    byte[] line = "[                         ]".getBytes(StandardCharsets.US_ASCII);
    ids.next(line, 1);
    String text = new String(line, StandardCharsets.US_ASCII);
    assertThat(text).matches("\\[[0-9a-z]{25}]");
    assertThat(new BigInteger(text.substring(1, 26), 36).shiftRight(32))
        .isEqualTo(new BigInteger(id(NOW, 7, 9, 0), 36).shiftRight(32));
    assertThat(ids.next()).isGreaterThan(text.substring(1, 26));
  }

  @Test
  void fullLowerCounter_carriesIntoUpper() {
    ids.advance(id(NOW, 5, 0xffffff, 0xffffffffL));
    assertThat(new BigInteger(ids.next(), 36).shiftRight(32))
        .isEqualTo(new BigInteger(id(NOW, 6, 0, 0), 36).shiftRight(32));
  }

  @Test
  void fullCounters_advanceTime() {
    String full = id(NOW, 0xffffff, 0xffffff, 0xffffffffL);
    ids.advance(full);
    String next = ids.next();
    assertThat(next).isGreaterThan(full);
    assertThat(Scru128.timestampMillis(next)).isEqualTo(NOW + 1);
    assertThat(ids.next()).isGreaterThan(next);
  }

  @Test
  void advance_setsLowerBoundOfIds() {
    String ahead = id(NOW + 60_000, 1, 2, 0xffffffffL);
    ids.advance(ahead);
    String next = ids.next();
    assertThat(next).isGreaterThan(ahead);
    assertThat(Scru128.timestampMillis(next)).isEqualTo(NOW + 60_000);
  }

  @Test
  void advanceToSmallerId_changesNothing() {
    String first = ids.next();
    ids.advance(id(NOW - 1, 0xffffff, 0xffffff, 0));
    ids.advance(id(NOW, 0, 0, 0));
    ids.advance(first);
    assertThat(new BigInteger(ids.next(), 36).shiftRight(32))
        .isEqualTo(new BigInteger(first, 36).shiftRight(32).add(BigInteger.ONE));
  }

  @Test
  void largestId_hasNoSuccessor() {
    ids.advance(LARGEST);
    assertThatThrownBy(ids::next)
        .isInstanceOfSatisfying(
            RalphException.class, e -> assertThat(e.code()).isEqualTo(RalphException.Code.FULL));
  }

  @ParameterizedTest
  @ValueSource(longs = {-1, Long.MIN_VALUE, Long.MAX_VALUE})
  void clockOutsideRange_idsStillIncrease(long millis) {
    clock.millis = millis;
    String first = ids.next();
    assertThat(ids.next()).isGreaterThan(first);
    assertThat(first).isLessThanOrEqualTo(LARGEST);
    assertThat(Scru128.timestampMillis(first)).isEqualTo(millis > 0 ? (1L << 48) - 1 : 0);
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "",
        "0",
        "f5lxx1zz5pnorynqglhzmsp34",
        "zzzzzzzzzzzzzzzzzzzzzzzzz",
        "F5LXX1ZZ5PNORYNQGLHZMSP33",
        "00000000000000000000000-0",
        "000000000000000000000000٣"
      })
  void invalidId_isRejected(String text) {
    assertThatThrownBy(() -> ids.advance(text))
        .isInstanceOfSatisfying(
            RalphException.class, e -> assertThat(e.code()).isEqualTo(RalphException.Code.INVALID));
  }

  @Test
  void concurrentThreads_shareNoId() {
    Set<String> minted = new ConcurrentSkipListSet<>();
    AtomicInteger count = new AtomicInteger();
    IntStream.range(0, 8)
        .parallel()
        .forEach(
            thread -> {
              String last = "";
              for (int i = 0; i < 5_000; i++) {
                String id = ids.next();
                assertThat(id).isGreaterThan(last);
                minted.add(id);
                count.incrementAndGet();
                last = id;
              }
            });
    assertThat(minted).hasSize(count.get());
  }

  @Test
  void generatorsAtEqualInstant_differ() {
    assertThat(new Scru128(clock).next()).isNotEqualTo(new Scru128(clock).next());
  }

  private static String id(long millis, int hi, int lo, long entropy) {
    String digits =
        BigInteger.valueOf(millis)
            .shiftLeft(24)
            .or(BigInteger.valueOf(hi))
            .shiftLeft(24)
            .or(BigInteger.valueOf(lo))
            .shiftLeft(32)
            .or(BigInteger.valueOf(entropy))
            .toString(36);
    return "0".repeat(25 - digits.length()) + digits;
  }

  private static final class SteppedClock extends Clock {

    private long millis;

    private SteppedClock(long millis) {
      this.millis = millis;
    }

    @Override
    public long millis() {
      return millis;
    }

    @Override
    public Instant instant() {
      return Instant.ofEpochMilli(millis);
    }

    @Override
    public ZoneId getZone() {
      return ZoneOffset.UTC;
    }

    @Override
    public Clock withZone(ZoneId zone) {
      throw new UnsupportedOperationException();
    }
  }
}
