package dev.ralph.log;

import java.util.Collections;
import java.util.EnumSet;
import java.util.Set;

/**
 * What a store says of itself.
 *
 * @param storeId unique to the store, given when it was created
 * @param kind the provider's name, such as {@code file}
 * @param location where it is, as the command's {@code --store} takes it
 * @param capabilities what it guarantees
 * @param maxContentBytes the largest content of one frame, in bytes of UTF-8: 8 MiB or more
 * @param maxBatchFrames the most frames in one batch: 100 or more
 */
public record StoreInfo(
    String storeId,
    String kind,
    String location,
    Set<Capability> capabilities,
    long maxContentBytes,
    int maxBatchFrames) {

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

  /** Keeps a copy of what was given. */
  public StoreInfo {
    Set<Capability> copy = EnumSet.noneOf(Capability.class);
    copy.addAll(capabilities);
    capabilities = Collections.unmodifiableSet(copy);
  }

  @Override
  public String toString() {
    return kind + " store " + storeId + " in " + location + " " + capabilities;
  }
}
