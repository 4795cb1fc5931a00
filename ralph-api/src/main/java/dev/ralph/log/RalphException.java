package dev.ralph.log;

import org.jspecify.annotations.Nullable;

/**
 * The one family of failures: a stable {@link #code()}, and a message for people that says what was
 * wrong, where, and what to do about it.
 *
 * <p>A kind that programs handle on its own has a type of its own, named at its code; a failure
 * with that code is always of that type. The others are of this type.
 */
public class RalphException extends RuntimeException {

  private static final long serialVersionUID = 1L;
  private static final int QUOTED_CHARACTERS = 80;

  /** What kind of failure this is. More may be added. */
  public enum Code {
    /** The input, or the state it was meant for, does not allow it. Nothing was written. */
    INVALID,
    /** There is no such thing: {@link NotFoundException}. */
    NOT_FOUND,
    /** An abbreviated reference fits more than one thing: {@link AmbiguousException}. */
    AMBIGUOUS,
    /**
     * Another process holds the store's lock and did not let go in time: {@link LockedException}.
     * Nothing was written.
     */
    LOCKED,
    /**
     * Others kept changing what this was to be decided on, or hold it: {@link ContendedException}.
     * Nothing was written.
     */
    CONTENDED,
    /** Stored data is not what was written: {@link DamagedException}. */
    DAMAGED,
    /** There is no room left. Nothing was written. */
    FULL,
    /**
     * The store can't be reached just now, because its server restarts, say. Nothing was written;
     * the same may go well later.
     */
    UNAVAILABLE,
    /** This store, or this view, cannot do that. */
    UNSUPPORTED,
    /** The object was closed before: {@link ClosedException}. */
    CLOSED,
    /**
     * It is not known whether the append took place, or lasts; see {@link IndeterminateException}.
     */
    INDETERMINATE,
    /** Reading or writing failed for a reason outside the program. */
    IO
  }

  private final Code code;

  /**
   * Makes a failure of that kind. The factory methods below make one of the kind's own type.
   *
   * @param cause what brought it about, or null
   */
  protected RalphException(Code code, String message, @Nullable Throwable cause) {
    super(message, cause);
    this.code = code;
  }

  /** Returns an {@link Code#INVALID} failure. */
  public static RalphException invalid(String message) {
    return new RalphException(Code.INVALID, message, null);
  }

  /** Returns an {@link Code#INVALID} failure, with what brought it about. */
  public static RalphException invalid(String message, @Nullable Throwable cause) {
    return new RalphException(Code.INVALID, message, cause);
  }

  /** Returns a {@link Code#NOT_FOUND} failure. */
  public static NotFoundException notFound(String message) {
    return new NotFoundException(message, null);
  }

  /** Returns a {@link Code#CONTENDED} failure. */
  public static ContendedException contended(String message) {
    return new ContendedException(message, null);
  }

  /** Returns a {@link Code#DAMAGED} failure. */
  public static DamagedException damaged(String message) {
    return new DamagedException(message, null);
  }

  /** Returns a {@link Code#DAMAGED} failure, with what brought it about. */
  public static DamagedException damaged(String message, @Nullable Throwable cause) {
    return new DamagedException(message, cause);
  }

  /** Returns a {@link Code#FULL} failure. */
  public static RalphException full(String message) {
    return new RalphException(Code.FULL, message, null);
  }

  /** Returns a {@link Code#FULL} failure, with what brought it about. */
  public static RalphException full(String message, @Nullable Throwable cause) {
    return new RalphException(Code.FULL, message, cause);
  }

  /** Returns an {@link Code#UNSUPPORTED} failure. */
  public static RalphException unsupported(String message) {
    return new RalphException(Code.UNSUPPORTED, message, null);
  }

  /** Returns an {@link Code#UNSUPPORTED} failure, with what brought it about. */
  public static RalphException unsupported(String message, @Nullable Throwable cause) {
    return new RalphException(Code.UNSUPPORTED, message, cause);
  }

  /**
   * Returns the {@link Code#INVALID} failure of a store that is given a larger batch than it takes.
   *
   * @param frames how many frames the batch has
   * @param most how many it may have
   */
  public static RalphException tooManyFrames(int frames, int most) {
    return invalid(
        "a batch may have " + most + " frames at most, not " + frames + "; append it in parts");
  }

  /**
   * Returns the {@link Code#INVALID} failure of a store that is given longer content than it takes.
   *
   * @param bytes how many bytes of UTF-8 the content has
   * @param most how many it may have
   */
  public static RalphException tooLongContent(long bytes, long most) {
    return invalid(
        "the content of a frame may have "
            + most
            + " bytes at most, not "
            + bytes
            + "; keep it elsewhere and append where it is");
  }

  /** Returns a {@link Code#CLOSED} failure for the thing named. */
  public static ClosedException closed(String what) {
    return new ClosedException(what + " was closed", null);
  }

  /** Returns an {@link Code#UNAVAILABLE} failure, with what brought it about. */
  public static RalphException unavailable(String message, @Nullable Throwable cause) {
    return new RalphException(Code.UNAVAILABLE, message, cause);
  }

  /** Returns an {@link Code#IO} failure. */
  public static RalphException io(String message) {
    return new RalphException(Code.IO, message, null);
  }

  /** Returns an {@link Code#IO} failure, with what brought it about. */
  public static RalphException io(String message, @Nullable Throwable cause) {
    return new RalphException(Code.IO, message, cause);
  }

  /**
   * Returns a failure of this type, code and particulars with another message, caused by this one.
   */
  public RalphException withMessage(String message) {
    return new RalphException(code, message, this);
  }

  /** Returns what kind of failure this is. */
  public final Code code() {
    return code;
  }

  /**
   * Returns untrusted text in a form that is safe and short enough for a one-line message: quoted,
   * control characters and characters that nobody sees escaped, cut after 80 characters.
   */
  public static String quote(String text) {
    StringBuilder quoted = new StringBuilder("'");
    int end = Math.min(text.length(), QUOTED_CHARACTERS);
    for (int i = 0; i < end; i++) {
      char c = text.charAt(i);
      if (isHidden(c)) {
        quoted.append(String.format("\\u%04x", (int) c));
      } else {
        quoted.append(c);
      }
    }
    return quoted.append(end < text.length() ? "…'" : "'").toString();
  }

  /** Format characters turn the direction of the text around them, among other things. */
  private static boolean isHidden(char c) {
    return Character.isISOControl(c)
        || Character.isSurrogate(c)
        || Character.getType(c) == Character.FORMAT
        || c == '\u2028'
        || c == '\u2029';
  }

  /**
   * Checks that text can be kept as Unicode.
   *
   * @param what what the text is, as the error message calls it
   * @return the text
   * @throws RalphException INVALID if it holds an unpaired surrogate
   */
  public static String requireUnicode(String what, String text) {
    for (int i = 0; i < text.length(); i++) {
      char c = text.charAt(i);
      if (!Character.isSurrogate(c)) {
        continue;
      }
      boolean paired =
          Character.isHighSurrogate(c)
              && i + 1 < text.length()
              && Character.isLowSurrogate(text.charAt(i + 1));
      if (!paired) {
        throw invalid(what + " holds an unpaired surrogate at character " + i);
      }
      i++;
    }
    return text;
  }
}
