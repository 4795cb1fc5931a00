package dev.ralph.tx;

import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * A file as it was read: its message, and what was wrong with it. It is known by the id of the
 * message and the sum of its bytes, not by its name, which TX changes. Immutable; safe for use by
 * many threads.
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

  /** Returns the same without the body of its message, which may be long. */
  TxFile withoutBody() {
    return new TxFile(name, sha256, message.body(""), orphan, fields, problems);
  }

  /** Returns the name that it had in its folder. */
  public String name() {
    return name;
  }

  /** Returns the SHA-256 of all its bytes: 64 hexadecimal digits, small letters. */
  public String sha256() {
    return sha256;
  }

  /** Returns the id of its message, or {@code sha256-} and the sum where there is none. */
  public String id() {
    String id = message.id();
    return id == null ? "sha256-" + sha256 : id;
  }

  /** Returns its message, which may lack any field. */
  public TxMessage message() {
    return message;
  }

  /** Returns whether TX has set it aside because nobody was there to get the message. */
  public boolean isOrphan() {
    return orphan;
  }

  /**
   * Returns the text of any field of its front matter, as it stands there, or null if there is no
   * such field or it is a list. This is how to get at fields that are not TX's, or at a text that
   * was not understood.
   */
  public @Nullable String field(String name) {
    return fields.get(name);
  }

  /**
   * Returns what is wrong with it, each in a line as compilers print it, {@code file:line:column:
   * text}, in no particular order; empty if nothing is.
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
