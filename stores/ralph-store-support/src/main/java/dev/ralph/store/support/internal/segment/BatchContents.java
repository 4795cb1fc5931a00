package dev.ralph.store.support.internal.segment;

import dev.ralph.store.support.HashedContentStore;
import java.nio.charset.StandardCharsets;
import java.util.LinkedHashMap;
import java.util.Map;

/**
 * The content files of a batch. The files are written before the store's lock is acquired, because
 * writing takes long. If another process removes a file as unused in the meantime, the file is
 * written again under the lock. Not thread-safe.
 */
public final class BatchContents {

  private final HashedContentStore contents;
  private final Map<String, String> texts = new LinkedHashMap<>();

  /** Creates an object for a batch without contents yet. */
  public BatchContents(HashedContentStore contents) {
    this.contents = contents;
  }

  /** Stores a text durably and returns its address. */
  public String put(String text, byte[] utf8) {
    String address = contents.put(utf8);
    texts.put(address, text);
    return address;
  }

  /**
   * Writes contents again that were removed since {@link #put}. The caller holds the store's lock,
   * and appends the batch next.
   */
  public void putAgainIfRemoved() {
    texts.forEach(
        (address, text) -> {
          if (!contents.has(address)) {
            contents.put(text.getBytes(StandardCharsets.UTF_8));
          }
        });
  }
}
