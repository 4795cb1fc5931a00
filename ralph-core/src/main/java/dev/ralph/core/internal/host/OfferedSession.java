package dev.ralph.core.internal.host;

import dev.ralph.Control;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** A session offered to hosts, and the history of the offer. Immutable. */
public final class OfferedSession {

  /**
   * A remark of a host or a person about an offer.
   *
   * @param time the time of the remark
   * @param host the machine of the author; for a host with a folder, such as {@code box:/folder}
   * @param text for people, such as a reason
   */
  public record Remark(Instant time, String host, String text) {}

  /** The number of failures of a host with an offer, and the time of the last one. */
  record Failures(int count, Instant last) {}

  /** The host that took the session, and the process of its loop; 0 if unknown. */
  record Taken(HostId host, long pid) {}

  private final String id;
  private final SessionOffer offer;
  private final Instant since;
  private final @Nullable String ended;
  private final List<Remark> remarks;
  private final Map<HostId, Failures> failures;
  private final @Nullable Taken taken;

  /**
   * @param id the id of the offer's frame
   * @param ended the reason that the offer has ended, or null while it is open
   */
  OfferedSession(
      String id,
      SessionOffer offer,
      Instant since,
      @Nullable String ended,
      List<Remark> remarks,
      Map<HostId, Failures> failures,
      @Nullable Taken taken) {
    this.id = id;
    this.offer = offer;
    this.since = since;
    this.ended = ended;
    this.remarks = List.copyOf(remarks);
    this.failures = Map.copyOf(failures);
    this.taken = taken;
  }

  /** Returns the requirements of the session. */
  public SessionOffer offer() {
    return offer;
  }

  /** Returns the time of the offer. */
  public Instant since() {
    return since;
  }

  /** Returns whether the offer is open: hosts may take the session, or a host has taken it. */
  public boolean isOpen() {
    return ended == null;
  }

  /**
   * Returns the reason that the offer has ended, such as {@code completed}; null while it is open.
   */
  public @Nullable String ended() {
    return ended;
  }

  /** Returns the most recent remarks, the newest last. */
  public List<Remark> remarks() {
    return remarks;
  }

  String id() {
    return id;
  }

  /** Returns the failures of a host, or null for none. */
  @Nullable Failures failuresOf(HostId host) {
    return failures.get(host);
  }

  /** Returns the host of a running or ended loop of the session. */
  HostId hostOf(Control.RunningLoop loop) {
    return taken != null && taken.pid == loop.pid() && taken.host.machine().equals(loop.host())
        ? taken.host
        : new HostId(loop.host(), null);
  }
}
