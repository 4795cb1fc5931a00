package dev.ralph.mail;

import java.util.Objects;

/** A box as it is listed. */
public final class ListedBox {

  private final String name;
  private final int unread;
  private final int total;
  private final boolean attended;

  private ListedBox(String name, int unread, int total, boolean attended) {
    this.name = name;
    this.unread = unread;
    this.total = total;
    this.attended = attended;
  }

  /**
   * Lists a box.
   *
   * @param unread how many mails are neither read nor expired
   * @param total how many mails it ever got
   * @param attended whether anybody ever received from it
   */
  public static ListedBox of(String name, int unread, int total, boolean attended) {
    return new ListedBox(Objects.requireNonNull(name, "name"), unread, total, attended);
  }

  /** Returns its address. */
  public String name() {
    return name;
  }

  /** Returns how many mails are neither read nor expired. */
  public int unread() {
    return unread;
  }

  /** Returns how many mails it ever got. */
  public int total() {
    return total;
  }

  /** Returns whether it has mail and nobody ever received from it: its name may be misspelt. */
  public boolean isOrphaned() {
    return total > 0 && !attended;
  }

  @Override
  public String toString() {
    return name + ": " + unread + " of " + total + " unread" + (isOrphaned() ? " (orphaned)" : "");
  }
}
