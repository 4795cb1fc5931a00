package dev.ralph.store.file;

/**
 * Converts milliseconds since 1970 to and from {@code 2026-11-21T08:30:00.123Z}, always 24
 * characters. The formatters of the platform cost more than the rest of an append, and take
 * milliseconds in a fresh JVM.
 */
final class TimeText {

  static final int LENGTH = 24;

  private static final long MILLIS_PER_DAY = 86_400_000;

  private TimeText() {}

  static void write(long millis, byte[] to, int at) {
    long days = Math.floorDiv(millis, MILLIS_PER_DAY);
    int inDay = (int) (millis - days * MILLIS_PER_DAY);
    // days to a date by eras of 400 years that begin in March, so that leap days come last
    long shifted = days + 719_468;
    long era = Math.floorDiv(shifted, 146_097);
    int dayOfEra = (int) (shifted - era * 146_097);
    int yearOfEra = (dayOfEra - dayOfEra / 1460 + dayOfEra / 36_524 - dayOfEra / 146_096) / 365;
    int dayOfYear = dayOfEra - (365 * yearOfEra + yearOfEra / 4 - yearOfEra / 100);
    int monthFromMarch = (5 * dayOfYear + 2) / 153;
    int month = monthFromMarch < 10 ? monthFromMarch + 3 : monthFromMarch - 9;
    int year = (int) (yearOfEra + era * 400) + (month <= 2 ? 1 : 0);
    digits(to, at, 4, year);
    to[at + 4] = '-';
    digits(to, at + 5, 2, month);
    to[at + 7] = '-';
    digits(to, at + 8, 2, dayOfYear - (153 * monthFromMarch + 2) / 5 + 1);
    to[at + 10] = 'T';
    digits(to, at + 11, 2, inDay / 3_600_000);
    to[at + 13] = ':';
    digits(to, at + 14, 2, inDay / 60_000 % 60);
    to[at + 16] = ':';
    digits(to, at + 17, 2, inDay / 1000 % 60);
    to[at + 19] = '.';
    digits(to, at + 20, 3, inDay % 1000);
    to[at + 23] = 'Z';
  }

  private static void digits(byte[] to, int at, int count, int number) {
    int rest = number;
    for (int i = count - 1; i >= 0; i--) {
      to[at + i] = (byte) ('0' + rest % 10);
      rest /= 10;
    }
  }

  static long read(byte[] text, int at) {
    int year = number(text, at, 4);
    int month = number(text, at + 5, 2);
    int day = number(text, at + 8, 2);
    int yearFromMarch = month <= 2 ? year - 1 : year;
    int era = Math.floorDiv(yearFromMarch, 400);
    int yearOfEra = yearFromMarch - era * 400;
    int dayOfYear = (153 * (month > 2 ? month - 3 : month + 9) + 2) / 5 + day - 1;
    int dayOfEra = yearOfEra * 365 + yearOfEra / 4 - yearOfEra / 100 + dayOfYear;
    long days = era * 146_097L + dayOfEra - 719_468;
    return days * MILLIS_PER_DAY
        + number(text, at + 11, 2) * 3_600_000L
        + number(text, at + 14, 2) * 60_000L
        + number(text, at + 17, 2) * 1000L
        + number(text, at + 20, 3);
  }

  private static int number(byte[] text, int at, int count) {
    int number = 0;
    for (int i = at; i < at + count; i++) {
      number = number * 10 + text[i] - '0';
    }
    return number;
  }
}
