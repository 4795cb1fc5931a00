package dev.ralph.tx;

import java.util.Locale;

/**
 * The words for a status that TX itself uses. Any other word will do as well: what an agent may say
 * is a matter of the routing of its mesh.
 *
 * <table>
 * <caption>Where TX names which word</caption>
 * <tr><th>word</th><th>of a message</th><th>of a route</th></tr>
 * <tr><td>start</td><td>yes</td><td></td></tr>
 * <tr><td>in-progress</td><td>yes</td><td></td></tr>
 * <tr><td>rejected</td><td>yes</td><td></td></tr>
 * <tr><td>approved</td><td>yes</td><td></td></tr>
 * <tr><td>complete</td><td>yes</td><td>yes</td></tr>
 * <tr><td>blocked</td><td>yes</td><td>yes</td></tr>
 * <tr><td>failed</td><td></td><td>yes</td></tr>
 * <tr><td>ready-for-next-iteration</td><td></td><td>yes</td></tr>
 * </table>
 */
public enum TxStatus {
  /** It begins. */
  START,
  /** It is being worked on. */
  IN_PROGRESS,
  /** It was refused. */
  REJECTED,
  /** It was accepted. */
  APPROVED,
  /** It succeeded: on to the next agent. */
  COMPLETE,
  /** It can't go on. */
  BLOCKED,
  /** It failed: once more, or to somebody who knows better. */
  FAILED,
  /** Back to the first agent. */
  READY_FOR_NEXT_ITERATION;

  private final String word = name().toLowerCase(Locale.ROOT).replace('_', '-');

  /** Returns the word that stands for it in files, such as {@code in-progress}. */
  public String word() {
    return word;
  }
}
