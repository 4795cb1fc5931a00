package dev.ralph.core.host;

import dev.ralph.Control;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** A session that was offered to hosts, and what became of that. Immutable. */
public final class OfferedSession {

  /**
   * What a host, or a person, said of an offer.
   *
   * @param time when
   * @param host the machine that it was said on; of a host with its folder, as {@code box:/folder}
   * @param text for people, such as a reason
   */
  public record Remark(Instant time, String host, String text) {}

  /** How often a host has failed at an offer, and when it did last. */
  record Failures(int count, Instant last) {}

  /** A host that took it, and the process there that ran its loop; 0 if that is not known. */
  record Taken(HostId host, long pid) {}

  private final String id;
  private final SessionOffer offer;
  private final Instant since;
  private final @Nullable String ended;
  private final List<Remark> remarks;
  private final Map<HostId, Failures> failures;
  private final @Nullable Taken taken;

  /**
   * @param id of the frame that offered it
   * @param ended why the offer has ended, or null while it stands
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

  /** Returns what the session needs. */
  public SessionOffer offer() {
    return offer;
  }

  /** Returns when it was offered. */
  public Instant since() {
    return since;
  }

  /** Returns whether hosts may take it, or one has. */
  public boolean isOpen() {
    return ended == null;
  }

  /** Returns why the offer has ended, such as {@code completed}; null while it stands. */
  public @Nullable String ended() {
    return ended;
  }

  /** Returns what was said of it, the newest last; of very much, the newest. */
  public List<Remark> remarks() {
    return remarks;
  }

  String id() {
    return id;
  }

  /** Returns how often a host has failed at it, or null if it has not. */
  @Nullable Failures failuresOf(HostId host) {
    return failures.get(host);
  }

  /** Returns who runs a loop of the session, or ran it. */
  HostId hostOf(Control.RunningLoop loop) {
    return taken != null && taken.pid == loop.pid() && taken.host.machine().equals(loop.host())
        ? taken.host
        : new HostId(loop.host(), null);
  }
}
