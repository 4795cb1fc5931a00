package dev.ralph.tck.internal.model;

import dev.ralph.log.StoreInfo.Capability;
import dev.ralph.spi.FrameStoreProvider;
import dev.ralph.spi.StoreConfig;
import java.nio.file.Path;
import java.util.Set;
import java.util.function.Consumer;
import java.util.function.Function;

/**
 * The store that programs are run on.
 *
 * @param provider opens the store
 * @param capabilities the declared capabilities
 * @param keepsSnapshots whether saved snapshots can be loaded
 * @param place returns the location of the store of a folder
 * @param drop drops the store of a folder
 */
public record TestedStore(
    FrameStoreProvider provider,
    Set<Capability> capabilities,
    boolean keepsSnapshots,
    Function<Path, StoreConfig> place,
    Consumer<Path> drop) {}
