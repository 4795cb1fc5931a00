package dev.ralph.tx;

import dev.ralph.log.RalphException;
import java.time.Duration;
import java.time.Instant;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/**
 * Selects messages. Each method returns a narrower filter. The filter first checks the name of a
 * file, and reads its front matter only if the name can match. So a filter misses a file whose name
 * contradicts the front matter. Immutable; safe for use by many threads.
 */
public final class TxFilter {

  /** All messages. */
  public static final TxFilter ALL = new TxFilter(null, null, null, null, null, false);

  /** The tolerance of stamps, because agents write them by their own zones and clocks. */
  static final Duration DOUBT = Duration.ofDays(1);

  private final @Nullable TxType type;
  private final @Nullable String agent;
  private final @Nullable String mesh;
  private final @Nullable Instant since;
  private final @Nullable Instant before;
  private final boolean problemsOnly;

  private TxFilter(
      @Nullable TxType type,
      @Nullable String agent,
      @Nullable String mesh,
      @Nullable Instant since,
      @Nullable Instant before,
      boolean problemsOnly) {
    this.type = type;
    this.agent = agent;
    this.mesh = mesh;
    this.since = since;
    this.before = before;
    this.problemsOnly = problemsOnly;
  }

  /** Returns a filter for messages of a type. */
  public TxFilter type(TxType type) {
    Objects.requireNonNull(type, "type");
    return new TxFilter(type, agent, mesh, since, before, problemsOnly);
  }

  /**
   * Returns a filter for messages from or to an agent.
   *
   * @param agent {@code mesh/agent}, or the name of an agent in any mesh
   * @throws RalphException INVALID if the text is neither
   */
  public TxFilter agent(String agent) {
    TxAddress.parse(agent);
    return new TxFilter(type, agent, mesh, since, before, problemsOnly);
  }

  /**
   * Returns a filter for messages from or to any agent of a mesh.
   *
   * @param mesh the name of a mesh, which includes all of its instances, or the name of an instance
   * @throws RalphException INVALID if the name is invalid
   */
  public TxFilter mesh(String mesh) {
    if (mesh.indexOf('/') >= 0) {
      throw RalphException.invalid(
          RalphException.quote(mesh) + " is not a mesh: remove the '/' and the agent after it");
    }
    TxAddress.parse(mesh);
    return new TxFilter(type, agent, mesh, since, before, problemsOnly);
  }

  /** Returns a filter for messages written at a time or later. */
  public TxFilter since(Instant since) {
    Objects.requireNonNull(since, "since");
    return new TxFilter(type, agent, mesh, since, before, problemsOnly);
  }

  /** Returns a filter for messages written before a time. */
  public TxFilter before(Instant before) {
    Objects.requireNonNull(before, "before");
    return new TxFilter(type, agent, mesh, since, before, problemsOnly);
  }

  /**
   * Returns a filter for messages with {@linkplain TxListed#problems() problems}. Only such a
   * filter includes files that can't be read.
   */
  public TxFilter problemsOnly() {
    return new TxFilter(type, agent, mesh, since, before, true);
  }

  /** Returns the latest time that the stamp of a matching name can stand for. */
  Instant latest(Instant now) {
    return (before == null || before.isAfter(now) ? now : before).plus(DOUBT);
  }

  /** Returns the earliest time that the stamp of a matching name can stand for, or null. */
  @Nullable Instant earliest() {
    return since == null ? null : since.minus(DOUBT);
  }

  /** Returns whether a file with this name may match. */
  boolean mayInclude(String file) {
    if (type == null && agent == null) {
      return true;
    }
    TxName name = TxName.parse(file);
    return !name.isUsual()
        || (type == null || name.mayBeOf(type)) && (agent == null || name.mayName(agent));
  }

  /** Returns whether a file matches. */
  boolean includes(TxListed listed) {
    Instant time = listed.time();
    if (since != null && time.isBefore(since) || before != null && !time.isBefore(before)) {
      return false;
    }
    if (problemsOnly && listed.problems().isEmpty()) {
      return false;
    }
    TxMessage message = listed.message();
    if (listed.file() == null) {
      return problemsOnly && mesh == null; // the name was checked before
    }
    return (type == null || type == message.type())
        && (agent == null || isAgent(message.from()) || isAgent(message.to()))
        && (mesh == null || isOfMesh(message.from()) || isOfMesh(message.to()));
  }

  private boolean isAgent(@Nullable TxAddress address) {
    return address != null && (address.agent().equals(agent) || address.toString().equals(agent));
  }

  private boolean isOfMesh(@Nullable TxAddress address) {
    return address != null
        && (address.mesh().equals(mesh) || address.mesh().startsWith(mesh + "-"));
  }
}
