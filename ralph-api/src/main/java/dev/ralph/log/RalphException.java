package dev.ralph.log;

import org.jspecify.annotations.Nullable;

/**
 * The base class of all failures, with a stable {@link #code()}. The message tells people the
 * problem, its place and the remedy.
 *
 * <p>Some codes have an exception class of their own, which the code names. A failure with such a
 * code is always an instance of that class. All other failures are instances of this class.
 */
public class RalphException extends RuntimeException {

  private static final long serialVersionUID = 1L;
  private static final int QUOTED_CHARACTERS = 80;

  /** The kind of a failure. Later versions may add codes. */
  public enum Code {
    /** The input is invalid, or the state does not allow the operation. Nothing was written. */
    INVALID,
    /** The object does not exist: {@link NotFoundException}. */
    NOT_FOUND,
    /** An abbreviated reference matches several objects: {@link AmbiguousException}. */
    AMBIGUOUS,
    /**
     * Another process did not release the store's lock in time: {@link LockedException}. Nothing
     * was written.
     */
    LOCKED,
    /**
     * Concurrent writers kept changing the state, or hold the object: {@link ContendedException}.
     * Nothing was written.
     */
    CONTENDED,
    /** Stored data is damaged: {@link DamagedException}. */
    DAMAGED,
    /** The disk is full. Nothing was written. */
    FULL,
    /**
     * The store is temporarily unreachable, for example while its server restarts. Nothing was
     * written; a later attempt may succeed.
     */
    UNAVAILABLE,
    /** The store or view does not support the operation. */
    UNSUPPORTED,
    /** The object is closed: {@link ClosedException}. */
    CLOSED,
    /** The write or the durability of an append is unknown: {@link IndeterminateException}. */
    INDETERMINATE,
    /** Reading or writing failed for a reason outside the program. */
    IO
  }

  private final Code code;

  /**
   * Creates a failure with a code. The factory methods below return the class of the code.
   *
   * @param cause the cause, or null
   */
  protected RalphException(Code code, String message, @Nullable Throwable cause) {
    super(message, cause);
    this.code = code;
  }

  /** Returns an {@link Code#INVALID} failure. */
  public static RalphException invalid(String message) {
    return new RalphException(Code.INVALID, message, null);
  }

  /** Returns an {@link Code#INVALID} failure with a cause. */
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

  /** Returns a {@link Code#DAMAGED} failure with a cause. */
  public static DamagedException damaged(String message, @Nullable Throwable cause) {
    return new DamagedException(message, cause);
  }

  /** Returns a {@link Code#FULL} failure. */
  public static RalphException full(String message) {
    return new RalphException(Code.FULL, message, null);
  }

  /** Returns a {@link Code#FULL} failure with a cause. */
  public static RalphException full(String message, @Nullable Throwable cause) {
    return new RalphException(Code.FULL, message, cause);
  }

  /** Returns an {@link Code#UNSUPPORTED} failure. */
  public static RalphException unsupported(String message) {
    return new RalphException(Code.UNSUPPORTED, message, null);
  }

  /** Returns an {@link Code#UNSUPPORTED} failure with a cause. */
  public static RalphException unsupported(String message, @Nullable Throwable cause) {
    return new RalphException(Code.UNSUPPORTED, message, cause);
  }

  /**
   * Returns the {@link Code#INVALID} failure of a batch with too many frames.
   *
   * @param frames the number of frames of the batch
   * @param most the limit of the store
   */
  public static RalphException tooManyFrames(int frames, int most) {
    return invalid(
        "a batch may have "
            + most
            + " frames at most, not "
            + frames
            + "; append the frames in"
            + " several batches");
  }

  /** Returns the failure to erase a frame that the log does not have. For stores. */
  public static RalphException notErasable(String id) {
    return notFound("no frame " + quote(id) + " to erase; nothing was erased");
  }

  /**
   * Returns the {@link Code#INVALID} failure of content that is too long.
   *
   * @param bytes the length of the content in bytes of UTF-8
   * @param most the limit of the store
   */
  public static RalphException tooLongContent(long bytes, long most) {
    return invalid(
        "the content of a frame may have "
            + most
            + " bytes at most, not "
            + bytes
            + "; store the content in a file and append its path");
  }

  /** Returns a {@link Code#CLOSED} failure of the named object. */
  public static ClosedException closed(String what) {
    return new ClosedException(what + " was closed", null);
  }

  /** Returns an {@link Code#UNAVAILABLE} failure with a cause. */
  public static RalphException unavailable(String message, @Nullable Throwable cause) {
    return new RalphException(Code.UNAVAILABLE, message, cause);
  }

  /** Returns an {@link Code#IO} failure. */
  public static RalphException io(String message) {
    return new RalphException(Code.IO, message, null);
  }

  /** Returns an {@link Code#IO} failure with a cause. */
  public static RalphException io(String message, @Nullable Throwable cause) {
    return new RalphException(Code.IO, message, cause);
  }

  /**
   * Returns a failure of the same class, code and details with another message, caused by this
   * failure.
   */
  public RalphException withMessage(String message) {
    return new RalphException(code, message, this);
  }

  /** Returns the code of the failure. */
  public final Code code() {
    return code;
  }

  /**
   * Returns untrusted text for use in a one-line message: quoted, with control characters and
   * invisible characters escaped, and cut after 80 characters.
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

  /**
   * Returns whether a character is invisible, for example a format character for reversing text.
   */
  private static boolean isHidden(char c) {
    return Character.isISOControl(c)
        || Character.isSurrogate(c)
        || Character.getType(c) == Character.FORMAT
        || c == '\u2028'
        || c == '\u2029';
  }

  /**
   * Checks that text is valid Unicode.
   *
   * @param what names the text in the error message
   * @return the text
   * @throws RalphException INVALID if the text has an unpaired surrogate
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
