package dev.ralph.log;

import java.util.Collections;
import java.util.EnumSet;
import java.util.Objects;
import java.util.Set;

/** What a store says of itself. */
public final class StoreInfo {

  /** A guarantee that a store may give. */
  public enum Capability {
    /** Frames outlive the process. */
    PERSISTENT,
    /** Several processes may use it at once. */
    MULTI_PROCESS,
    /** The store mints ids where it orders frames, so ids increase with positions. */
    MINTS_IDS,
    /** An append that asked to be synced survives a power cut. */
    SYNC,
    /** Damaged frames are detected and never returned. */
    DETECTS_DAMAGE,
    /** Frames can be {@linkplain FrameLog#erase erased}. */
    ERASES
  }

  private final String storeId;
  private final String kind;
  private final String location;
  private final Set<Capability> capabilities;
  private final long maxContentBytes;
  private final int maxBatchFrames;

  private StoreInfo(
      String storeId,
      String kind,
      String location,
      Set<Capability> capabilities,
      long maxContentBytes,
      int maxBatchFrames) {
    this.storeId = storeId;
    this.kind = kind;
    this.location = location;
    this.capabilities = capabilities;
    this.maxContentBytes = maxContentBytes;
    this.maxBatchFrames = maxBatchFrames;
  }

  /**
   * Describes a store.
   *
   * @param storeId unique to the store, given when it was created
   * @param kind the provider's name
   * @param location where it is, as the command's {@code --store} takes it
   * @param capabilities what it guarantees
   * @param maxContentBytes the largest content of one frame, in bytes of UTF-8: 8 MiB or more
   * @param maxBatchFrames the most frames in one batch: 100 or more
   */
  public static StoreInfo of(
      String storeId,
      String kind,
      String location,
      Set<Capability> capabilities,
      long maxContentBytes,
      int maxBatchFrames) {
    Set<Capability> copy = EnumSet.noneOf(Capability.class);
    copy.addAll(capabilities);
    return new StoreInfo(
        storeId,
        kind,
        location,
        Collections.unmodifiableSet(copy),
        maxContentBytes,
        maxBatchFrames);
  }

  /** Returns the id given to the store when it was created. */
  public String storeId() {
    return storeId;
  }

  /** Returns the provider's name, such as {@code file}. */
  public String kind() {
    return kind;
  }

  /** Returns where the store is, as the command's {@code --store} takes it. */
  public String location() {
    return location;
  }

  /** Returns what the store guarantees. */
  public Set<Capability> capabilities() {
    return capabilities;
  }

  /** Returns the largest content of one frame, in bytes of UTF-8: 8 MiB or more. */
  public long maxContentBytes() {
    return maxContentBytes;
  }

  /** Returns the most frames in one batch: 100 or more. */
  public int maxBatchFrames() {
    return maxBatchFrames;
  }

  @Override
  public boolean equals(Object other) {
    if (!(other instanceof StoreInfo)) {
      return false;
    }
    StoreInfo that = (StoreInfo) other;
    return Objects.equals(storeId, that.storeId)
        && Objects.equals(kind, that.kind)
        && Objects.equals(location, that.location)
        && Objects.equals(capabilities, that.capabilities)
        && maxContentBytes == that.maxContentBytes
        && maxBatchFrames == that.maxBatchFrames;
  }

  @Override
  public int hashCode() {
    return Objects.hash(storeId, kind, location, capabilities, maxContentBytes, maxBatchFrames);
  }

  @Override
  public String toString() {
    return kind + " store " + storeId + " in " + location + " " + capabilities;
  }
}
