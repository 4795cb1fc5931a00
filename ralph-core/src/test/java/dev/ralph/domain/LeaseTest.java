package dev.ralph.domain;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.ralph.log.Draft;
import dev.ralph.log.Frame;
import dev.ralph.log.Meta;
import dev.ralph.log.Position;
import dev.ralph.log.RalphException;
import dev.ralph.log.RalphException.Code;
import dev.ralph.log.Topic;
import java.io.IOException;
import java.time.Duration;
import java.time.Instant;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

class LeaseTest {

  private static final Instant NOW = Instant.parse("2026-03-01T10:00:00Z");
  private static final Instant END = NOW.plusSeconds(60);
  private static final String ID = "0".repeat(25);

  private static Frame frame(Meta meta) {
    return frame(meta, NOW);
  }

  private static Frame frame(Meta meta, Instant time) {
    return Frame.of(ID, Position.of(1), time, Draft.of(Topic.of("hall.friday.seat"), meta));
  }

  private static Lease renewed(Lease lease, Instant at, Instant until) {
    return lease.renewed(frame(Meta.of("until", Timestamp.of(until)), at));
  }

  private static Lease granted() {
    Lease lease = Lease.of(frame(Meta.of("owner", "ann").with("until", "2026-03-01T10:01:00Z")));
    assertThat(lease).isNotNull();
    return lease;
  }

  @Test
  void grantingFrame_isTheToken() {
    Lease lease = granted();
    assertThat(lease.token()).isEqualTo(ID);
    assertThat(lease.owner()).isEqualTo("ann");
    assertThat(lease.until()).isEqualTo(END);
    assertThat(lease.isHeldBy(ID)).isTrue();
    assertThat(lease.isHeldBy("1".repeat(25))).isFalse();
  }

  @Test
  void frameWithoutOwnerOrTime_grantsNoLease() {
    assertThat(Lease.of(frame(Meta.of("until", "2026-03-01T10:01:00Z")))).isNull();
    assertThat(Lease.of(frame(Meta.of("owner", "ann")))).isNull();
    assertThat(Lease.of(frame(Meta.of("owner", "ann").with("until", "soon")))).isNull();
  }

  @Test
  void expiredLease_isHeldUntilReplaced() {
    Lease lease = granted();
    assertThat(lease.isLive(END.minusMillis(1))).isTrue();
    assertThat(lease.isLive(END)).isFalse();
    assertThat(lease.isHeld()).isTrue();
    assertThat(renewed(lease, NOW, END.plusSeconds(1)).isLive(END)).isTrue();
  }

  @ParameterizedTest
  @CsvSource({
    // The lease is granted at 10:00 for one minute.
    "2026-02-28T10:00:30Z, false", // clock a day ahead at the grant
    "2026-03-01T09:59:59.999Z, false",
    "2026-03-01T10:00:00Z, true",
    "2026-03-01T10:00:59.999Z, true",
    "2026-03-01T10:01:00Z, false",
    "2026-03-02T10:00:30Z, false", // clock a day ahead now
    "1970-01-01T00:00:00Z, false",
    "9999-12-31T23:59:59Z, false"
  })
  void lease_isLiveFromItsFrameToItsEnd(Instant now, boolean isLive) {
    assertThat(granted().isLive(now)).isEqualTo(isLive);
  }

  @ParameterizedTest
  @CsvSource({
    // time of the renewal, new end, present time, whether the lease is live
    "2026-03-01T10:00:30Z, 2026-03-01T10:01:30Z, 2026-03-01T10:01:29Z, true",
    "2026-03-01T10:00:30Z, 2026-03-01T10:01:30Z, 2026-03-01T10:00:29Z, false",
    "2026-02-28T10:00:30Z, 2026-02-28T10:01:30Z, 2026-02-28T10:01:29Z, true", // clock corrected
    "2026-02-28T10:00:30Z, 2026-02-28T10:01:30Z, 2026-03-01T10:00:30Z, false",
    "2027-03-01T10:00:00Z, 2027-03-01T10:01:00Z, 2026-03-01T10:00:30Z, false" // clock a year ahead
  })
  void renewal_countsFromItsOwnFrame(Instant at, Instant until, Instant now, boolean isLive) {
    Lease lease = renewed(granted(), at, until);
    assertThat(lease.since()).isEqualTo(at);
    assertThat(lease.isLive(now)).isEqualTo(isLive);
    assertThat(lease.isHeldBy(ID)).as("held even if not live").isTrue();
  }

  @Test
  void renewalWithoutTime_changesNothing() {
    Lease lease = granted();
    assertThat(lease.renewed(frame(Meta.empty(), NOW.plusSeconds(30)))).isSameAs(lease);
    assertThat(lease.renewed(frame(Meta.of("until", "soon")))).isSameAs(lease);
  }

  @ParameterizedTest
  @ValueSource(strings = {"2026-04-01T10:00:00Z", "2027-03-01T10:00:00Z", "9999-12-31T23:59:59Z"})
  void tooLongLease_isShortened(Instant until) {
    Instant latest = NOW.plus(Duration.ofDays(30));
    Lease lease = Lease.of(frame(Meta.of("owner", "ann").with("until", Timestamp.of(until))));
    assertThat(lease).isNotNull();
    assertThat(lease.until()).isEqualTo(latest);
    assertThat(renewed(granted(), NOW, until).until()).isEqualTo(latest);
  }

  @Test
  void endedLease_isNotHeld() {
    Lease ended = granted().ended(NOW.plusSeconds(5));
    assertThat(ended.isLive(NOW)).isFalse();
    assertThat(ended.isHeldBy(ID)).isFalse();
    assertThat(ended.until()).isEqualTo(NOW.plusSeconds(5));
    assertThat(ended.ended(END).until()).as("the first end is final").isEqualTo(NOW.plusSeconds(5));
    assertThat(granted().ended(END.plusSeconds(5)).until()).as("already expired").isEqualTo(END);
    assertThat(renewed(ended, NOW, END).isLive(NOW)).as("renewal is ignored").isFalse();
  }

  @Test
  void end_addsTheDuration() {
    assertThat(Lease.end(NOW, Duration.ofMinutes(1))).isEqualTo(END);
    assertThat(Lease.end(NOW, Duration.ofDays(30))).isEqualTo(NOW.plus(Duration.ofDays(30)));
  }

  @ParameterizedTest
  @ValueSource(strings = {"PT0S", "PT-1S", "PT0.000999S", "PT720H0.001S"})
  void invalidDuration_isRejected(Duration length) {
    assertThatThrownBy(() -> Lease.end(NOW, length))
        .isInstanceOfSatisfying(
            RalphException.class, e -> assertThat(e.code()).isEqualTo(Code.INVALID))
        .hasMessage("a lease must be 1 ms to 30 days, not " + length);
  }

  /** A state that holds one lease or null. */
  private static final class Kept extends StateCodec<Kept> {
    private final @Nullable Lease lease;

    Kept(@Nullable Lease lease) {
      this.lease = lease;
    }

    @Override
    protected void write(Kept state, Output out) {
      out.lease(state.lease);
    }

    @Override
    protected Kept read(Input in) throws IOException {
      return new Kept(in.leaseOrNull());
    }

    @Nullable Lease again() {
      return decode(encode(this)).lease;
    }
  }

  @Test
  void snapshot_keepsAllFields() {
    Lease ended = granted().ended(NOW.plusNanos(1));
    for (Lease lease : new Lease[] {granted(), ended}) {
      Lease again = new Kept(lease).again();
      assertThat(again).usingRecursiveComparison().isEqualTo(lease);
    }
    assertThat(new Kept(null).again()).isNull();
  }
}
