package dev.ralph.log;

import java.util.List;
import java.util.Objects;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * A list of drafts that is appended atomically. All drafts belong to one {@linkplain Topic#scope()
 * scope}.
 *
 * <p>The writer chooses a unique id, which finds the batch if the outcome of its append is unknown.
 * A store may append a batch with a known id again, or return the earlier frames.
 */
public final class Batch {

  private final String id;
  private final List<Draft> drafts;
  private final boolean synced;
  private final @Nullable Condition condition;

  private Batch(String id, List<Draft> drafts, boolean synced, @Nullable Condition condition) {
    this.id = id;
    this.drafts = drafts;
    this.synced = synced;
    this.condition = condition;
  }

  /**
   * Returns a synced batch without a condition.
   *
   * @param id 1 to 64 letters, digits, {@code _} and {@code -}
   * @param drafts the drafts, at least one
   * @throws RalphException INVALID if the id is malformed, there is no draft, or the drafts belong
   *     to more than one scope
   */
  public static Batch of(String id, List<Draft> drafts) {
    Objects.requireNonNull(id, "id");
    Objects.requireNonNull(drafts, "drafts");
    Topic.checkSegment("batch id", id);
    if (id.length() > 64) {
      throw RalphException.invalid("batch id may have 64 characters at most, not " + id.length());
    }
    List<Draft> copy = List.copyOf(drafts);
    if (copy.isEmpty()) {
      throw RalphException.invalid("a batch needs at least one frame");
    }
    String scope = copy.get(0).topic().scope();
    for (int i = 1; i < copy.size(); i++) {
      String other = copy.get(i).topic().scope();
      if (!other.equals(scope)) {
        throw RalphException.invalid(
            "a batch must stay within a single scope, not " + scope + " and " + other);
      }
    }
    return new Batch(id, copy, true, null);
  }

  /**
   * Returns a copy of this batch with another durability.
   *
   * @param synced true if the acknowledged batch must survive a power cut; concurrent appends share
   *     a sync. False if it must survive only the end of the process, also by {@code kill -9}
   */
  public Batch synced(boolean synced) {
    return new Batch(id, drafts, synced, condition);
  }

  /**
   * Returns a copy of this batch that is appended only if the condition holds.
   *
   * @throws RalphException INVALID if the condition's filter selects topics outside the scope of
   *     the batch, because a store need not order frames of different scopes
   */
  public Batch onlyIf(Condition condition) {
    Objects.requireNonNull(condition, "condition");
    String scope = drafts.get(0).topic().scope();
    Optional<String> decidedOn = condition.filter().scope();
    if (decidedOn.isEmpty() || !decidedOn.get().equals(scope)) {
      throw RalphException.invalid(
          "the condition on "
              + condition.filter()
              + " must stay within the batch's scope, "
              + scope
              + "; use the topics of the decision, such as "
              + scope
              + ".*");
    }
    return new Batch(id, drafts, synced, condition);
  }

  /** Returns the id that the writer chose. */
  public String id() {
    return id;
  }

  /** Returns the drafts, at least one. */
  public List<Draft> drafts() {
    return drafts;
  }

  /** Returns whether the acknowledged batch must survive a power cut. */
  public boolean isSynced() {
    return synced;
  }

  /** Returns the condition, or null if the batch has none. */
  public @Nullable Condition condition() {
    return condition;
  }

  @Override
  public boolean equals(Object other) {
    if (!(other instanceof Batch)) {
      return false;
    }
    Batch that = (Batch) other;
    return Objects.equals(id, that.id)
        && Objects.equals(drafts, that.drafts)
        && synced == that.synced
        && Objects.equals(condition, that.condition);
  }

  @Override
  public int hashCode() {
    return Objects.hash(id, drafts, synced, condition);
  }

  @Override
  public String toString() {
    return "batch "
        + id
        + " of "
        + drafts
        + ", "
        + (synced ? "synced" : "not synced")
        + (condition == null ? "" : ", only if " + condition);
  }

  /**
   * The condition of an append: the log has no frame after the position that the filter selects.
   *
   * @param filter selects the frames on which the decision depends, all of the batch's {@linkplain
   *     Topic#scope() scope}
   * @param since the position up to which the decider has read
   */
  public record Condition(TopicFilter filter, Position since) {

    /** Creates a condition. */
    public Condition {
      Objects.requireNonNull(filter, "filter");
      Objects.requireNonNull(since, "since");
    }
  }
}
