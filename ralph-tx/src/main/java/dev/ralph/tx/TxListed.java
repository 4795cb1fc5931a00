package dev.ralph.tx;

import dev.ralph.log.RalphException;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * A file as {@link TxView} lists it: what its message says, without the body, or why none can be
 * made of it. Immutable; safe for use by many threads.
 */
public final class TxListed {

  private final String name;
  private final Instant time;
  private final @Nullable TxFile file;
  private final List<String> problems;

  private TxListed(String name, Instant time, @Nullable TxFile file, List<String> problems) {
    this.name = name;
    this.time = time;
    this.file = file;
    this.problems = problems;
  }

  /**
   * Lists a file that was read.
   *
   * @param guess when it was written if the message does not say
   * @param refusal why its message may not be delivered, or null if it may
   */
  static TxListed of(TxFile file, Instant guess, @Nullable String refusal) {
    Instant timestamp = file.message().timestamp();
    List<String> problems = new ArrayList<>(file.warnings());
    if (refusal != null) {
      problems.add(OneLine.visible(file.name()) + ": " + refusal);
    }
    return new TxListed(
        file.name(),
        timestamp == null ? guess : timestamp,
        file.withoutBody(),
        List.copyOf(problems));
  }

  /** Lists a file that can't be read. */
  static TxListed unreadable(String name, Instant guess, RalphException failure) {
    return new TxListed(name, guess, null, List.of(String.valueOf(failure.getMessage())));
  }

  /** Returns the file's name in its folder. */
  public String name() {
    return name;
  }

  /**
   * Returns when the message says that it was written; where it does not, what the file's name says
   * or else when the file was changed.
   */
  public Instant time() {
    return time;
  }

  /** Returns the file as it was read, without the body of its message; null if it can't be read. */
  public @Nullable TxFile file() {
    return file;
  }

  /** Returns its message without the body; one that says nothing if it can't be read. */
  public TxMessage message() {
    return file == null ? TxMessage.EMPTY : file.message();
  }

  /** Returns whether TX has set it aside because nobody was there to get the message. */
  public boolean isOrphan() {
    return file == null ? TxName.parse(name).isOrphan(null) : file.isOrphan();
  }

  /**
   * Returns what is wrong with it, each in a line: why it can't be read, or what was understood in
   * spite of it, and why the routing refuses it. Empty if nothing is.
   */
  public List<String> problems() {
    return problems;
  }

  @Override
  public String toString() {
    return name;
  }
}
