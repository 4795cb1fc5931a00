package dev.ralph.tx;

import dev.ralph.log.RalphException;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * A file in a list of {@link TxView}: its message without the body, or the reason why the file is
 * not a message. Immutable; safe for use by many threads.
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
   * Lists a readable file.
   *
   * @param guess the time of the message if its timestamp is missing
   * @param refusal the reason why the message may not be delivered, or null
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

  /** Lists an unreadable file. */
  static TxListed unreadable(String name, Instant guess, RalphException failure) {
    return new TxListed(name, guess, null, List.of(String.valueOf(failure.getMessage())));
  }

  /** Returns the name of the file in its folder. */
  public String name() {
    return name;
  }

  /**
   * Returns the time of the message: its timestamp, or the stamp of the file name, or the
   * modification time of the file.
   */
  public Instant time() {
    return time;
  }

  /** Returns the file without the body of its message, or null if the file can't be read. */
  public @Nullable TxFile file() {
    return file;
  }

  /** Returns the message without the body, or an empty message if the file can't be read. */
  public TxMessage message() {
    return file == null ? TxMessage.EMPTY : file.message();
  }

  /**
   * Returns whether TX has set the file aside because no agent was there to receive the message.
   */
  public boolean isOrphan() {
    return file == null ? TxName.parse(name).isOrphan(null) : file.isOrphan();
  }

  /**
   * Returns the problems of the file, each in a single line: the reason why it can't be read, the
   * warnings, and the rejection by the routing. Empty if there are no problems.
   */
  public List<String> problems() {
    return problems;
  }

  @Override
  public String toString() {
    return name;
  }
}
