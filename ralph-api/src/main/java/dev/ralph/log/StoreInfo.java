package dev.ralph.log;

import java.util.Collections;
import java.util.EnumSet;
import java.util.Set;

/**
 * The identity, capabilities and limits of a store.
 *
 * @param storeId the unique id that the store got when it was created, such as a SCRU128 id: at
 *     most 40 letters, digits, {@code .}, {@code _} and {@code -}
 * @param kind the provider's name, such as {@code file}
 * @param location the location, in the form of {@link dev.ralph.Ralph.Builder#address} and of the
 *     command's option {@code --store}
 * @param capabilities the guarantees of the store
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

  /** A guarantee of a store. */
  public enum Capability {
    /** Frames outlive the process. */
    PERSISTENT,
    /** Several processes may use the store at once. */
    MULTI_PROCESS,
    /** The ids that the store creates increase with positions; imported ids need not. */
    MINTS_IDS,
    /** A {@linkplain Batch#isSynced() synced} batch survives a power cut. */
    SYNC,
    /** The store detects damaged frames and never returns them. */
    DETECTS_DAMAGE,
    /** The store can {@linkplain FrameLog#erase erase} frames. */
    ERASES,
    /** The store can {@linkplain FrameLog#compact give back} the space of erased frames. */
    COMPACTS
  }

  /** Copies the capabilities. */
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
