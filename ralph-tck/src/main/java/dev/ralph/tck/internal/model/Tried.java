package dev.ralph.tck.internal.model;

import dev.ralph.log.StoreInfo.Capability;
import dev.ralph.spi.FrameStoreProvider;
import dev.ralph.spi.StoreConfig;
import java.nio.file.Path;
import java.util.Set;
import java.util.function.Consumer;
import java.util.function.Function;

/**
 * The kind of store that programs run on.
 *
 * @param provider opens one
 * @param capabilities what it promises
 * @param keepsSnapshots whether one that was saved can be loaded
 * @param place returns where a store goes that has that folder to itself
 * @param drop drops what is there
 */
public record Tried(
    FrameStoreProvider provider,
    Set<Capability> capabilities,
    boolean keepsSnapshots,
    Function<Path, StoreConfig> place,
    Consumer<Path> drop) {}
