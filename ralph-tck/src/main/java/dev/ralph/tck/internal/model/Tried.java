package dev.ralph.tck.internal.model;

import dev.ralph.log.StoreInfo.Capability;
import dev.ralph.spi.FrameStoreProvider;
import java.nio.file.Path;
import java.util.Set;
import java.util.function.UnaryOperator;
import org.jspecify.annotations.Nullable;

/**
 * The kind of store that programs run on.
 *
 * @param provider opens one
 * @param capabilities what it promises
 * @param keepsSnapshots whether one that was saved can be loaded
 * @param directory returns where a store goes that has that folder to itself, or null for nowhere
 */
public record Tried(
    FrameStoreProvider provider,
    Set<Capability> capabilities,
    boolean keepsSnapshots,
    UnaryOperator<@Nullable Path> directory) {}
