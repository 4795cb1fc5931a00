package dev.ralph.tx;

import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * A file with its message and its problems, as read. The identity of a file is the id of the
 * message and the checksum of its bytes, not its name, because TX changes names. Immutable; safe
 * for use by many threads.
 */
public final class TxFile {

  private final String name;
  private final String sha256;
  private final TxMessage message;
  private final boolean orphan;
  private final Map<String, String> fields;
  private final List<TxProblem> problems;

  TxFile(
      String name,
      String sha256,
      TxMessage message,
      boolean orphan,
      Map<String, String> fields,
      List<TxProblem> problems) {
    this.name = name;
    this.sha256 = sha256;
    this.message = message;
    this.orphan = orphan;
    this.fields = Map.copyOf(fields);
    this.problems = problems;
  }

  /** Returns this file without the body of its message, which may be long. */
  TxFile withoutBody() {
    return new TxFile(name, sha256, message.body(""), orphan, fields, problems);
  }

  /** Returns the name of the file in its folder. */
  public String name() {
    return name;
  }

  /** Returns the SHA-256 of all bytes: 64 lower-case hexadecimal digits. */
  public String sha256() {
    return sha256;
  }

  /**
   * Returns the id of the message, or {@code sha256-} and the checksum if the message has no id.
   */
  public String id() {
    String id = message.id();
    return id == null ? "sha256-" + sha256 : id;
  }

  /** Returns the message, which may lack any field. */
  public TxMessage message() {
    return message;
  }

  /**
   * Returns whether TX has set the file aside because no agent was there to receive the message.
   */
  public boolean isOrphan() {
    return orphan;
  }

  /**
   * Returns the raw text of a field of the front matter, or null if the field is missing or a list.
   * Use this method for fields outside TX's format, and for texts that could not be parsed.
   */
  public @Nullable String field(String name) {
    return fields.get(name);
  }

  /**
   * Returns the problems of the file, each in a single line in the format of compilers, {@code
   * file:line:column: text}. The order is undefined; the list is empty if there are no problems.
   */
  public List<String> warnings() {
    return problems.stream().map(TxProblem::toString).toList();
  }

  List<TxProblem> problems() {
    return problems;
  }

  @Override
  public String toString() {
    return name;
  }
}
