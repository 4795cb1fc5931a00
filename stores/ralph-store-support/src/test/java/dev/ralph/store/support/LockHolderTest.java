package dev.ralph.store.support;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;

class LockHolderTest {

  private static final String LOCKS =
      """
      1: POSIX  ADVISORY  WRITE 708 fd:00:1234 0 EOF
      1: -> POSIX  ADVISORY  WRITE 709 fd:00:1234 0 EOF
      2: FLOCK  ADVISORY  WRITE 710 fd:00:77 0 EOF
      3: POSIX  ADVISORY  READ 711 fd:00:78 0 EOF
      4: POSIX  ADVISORY  WRITE 0 fd:00:79 0 EOF
      5: POSIX  ADVISORY  WRITE 712 fd:00:80 0 EOF
      6: POSIX  ADVISORY  WRITE 713 fd:01:80 0 EOF
      """;

  @Test
  void holder_hasWriteLockAndIsNotWaiting() {
    assertThat(LockHolder.in(LOCKS, "1234")).isEqualTo(708);
  }

  @Test
  void ambiguousHolder_isUnknown() {
    for (String inode : new String[] {"77", "78", "79", "80", "81", "234"}) {
      assertThat(LockHolder.in(LOCKS, inode)).as(inode).isZero();
    }
    assertThat(LockHolder.in("", "1")).isZero();
  }
}
