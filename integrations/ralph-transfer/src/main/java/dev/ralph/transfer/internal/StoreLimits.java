package dev.ralph.transfer.internal;

import dev.ralph.log.Meta;
import java.time.Instant;

/**
 * Limits common to all persistent stores. The import checks the file against them first, because a
 * store would reject a frame in the middle of the import.
 */
final class StoreLimits {

  private static final int MAX_META_CHARACTERS = 1 << 20;
  private static final Instant EARLIEST = Instant.parse("0000-01-01T00:00:00Z");
  private static final Instant LATEST = Instant.parse("9999-12-31T23:59:59.999Z");

  private StoreLimits() {}

  static boolean allow(Meta meta) {
    return meta.json().length() <= MAX_META_CHARACTERS;
  }

  static boolean allow(Instant time) {
    return !time.isBefore(EARLIEST) && !time.isAfter(LATEST);
  }

  /** Reports metadata that cannot be stored. */
  static void refuseMeta(ImportReport.Tally tally, long line, String id) {
    tally.problem(
        line,
        id,
        ImportReport.Problem.Kind.META,
        "the meta data is not a JSON object of " + MAX_META_CHARACTERS + " characters at most");
  }
}
