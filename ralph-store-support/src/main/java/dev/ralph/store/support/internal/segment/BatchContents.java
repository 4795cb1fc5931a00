package dev.ralph.store.support.internal.segment;

import dev.ralph.store.support.HashedContentStore;
import java.nio.charset.StandardCharsets;
import java.util.LinkedHashMap;
import java.util.Map;

/**
 * The contents of one batch that lie beside the log. They are put there before the store's lock is
 * taken, because that takes long; what a process that slept meanwhile finds removed as needed by no
 * frame is put there again under the lock, and then a frame names it. For one thread at a time.
 */
public final class BatchContents {

  private final HashedContentStore contents;
  private final Map<String, String> texts = new LinkedHashMap<>();

  /** Begins with no content. */
  public BatchContents(HashedContentStore contents) {
    this.contents = contents;
  }

  /** Keeps a text durably; returns its address. */
  public String put(String text, byte[] utf8) {
    String address = contents.put(utf8);
    texts.put(address, text);
    return address;
  }

  /**
   * Puts again what was removed since it was put. Under the store's lock, right before the batch is
   * written.
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
