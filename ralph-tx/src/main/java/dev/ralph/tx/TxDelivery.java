package dev.ralph.tx;

import java.nio.file.Path;

/**
 * A message on its way to an agent.
 *
 * @param to the agent
 * @param path the file, as an absolute path
 * @param file what it held when it was read, right before
 * @param isRepeat whether it may have been delivered before: somebody tried, and nobody knows with
 *     what success
 */
public record TxDelivery(TxAddress to, Path path, TxFile file, boolean isRepeat) {}
