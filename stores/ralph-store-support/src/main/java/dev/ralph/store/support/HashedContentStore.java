package dev.ralph.store.support;

import dev.ralph.log.RalphException;
import java.io.FileNotFoundException;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.Arrays;
import java.util.HexFormat;

/**
 * Stores contents that are too large for the log. Each content is a file named by its SHA-256, in a
 * folder named by the first two digits of the hash.
 */
public final class HashedContentStore {

  private static final String PREFIX = "sha256-";
  private static final int ADDRESS_LENGTH = PREFIX.length() + 64;

  /** The largest content of any store, in bytes. */
  private static final int LARGEST = 64 << 20;

  private final StoreFiles files;
  private final Path directory;

  /** Uses the folder {@code content} of a store. The folder is created with the first content. */
  public HashedContentStore(StoreFiles store) {
    this.files = store;
    this.directory = store.path("content");
  }

  /**
   * Returns true if a text is a valid address. Addresses in a log are untrusted, and must not lead
   * to other files.
   */
  public static boolean isAddress(String text) {
    if (text.length() != ADDRESS_LENGTH || !text.startsWith(PREFIX)) {
      return false;
    }
    for (int i = PREFIX.length(); i < ADDRESS_LENGTH; i++) {
      char c = text.charAt(i);
      if ((c < '0' || c > '9') && (c < 'a' || c > 'f')) {
        return false;
      }
    }
    return true;
  }

  /**
   * Stores a content durably.
   *
   * @return the address of the content: {@code sha256-} and the hash in hexadecimal
   * @throws RalphException FULL if there is no space, IO if writing fails
   */
  public String put(byte[] content) {
    String address = PREFIX + sha256(content);
    Path file = file(address);
    try {
      if (holds(file, content)) {
        refresh(file);
        // the writer may have been killed before this step
        PrivateFiles.syncDirectory(file.resolveSibling(""));
      } else {
        files.createDirectories(file.resolveSibling(""));
        files.writeAtomically(file, content, true);
      }
    } catch (IOException e) {
      throw PrivateFiles.failure("cannot store content in " + directory, e);
    }
    return address;
  }

  private boolean holds(Path file, byte[] content) throws IOException {
    try {
      return file.toFile().exists() && Arrays.equals(files.read(file, content.length), content);
    } catch (FileNotFoundException removedMeanwhile) {
      return false;
    }
  }

  /** Sets the modification time to now, so that the file does not count as a leftover. */
  private static void refresh(Path file) {
    if (!file.toFile().setLastModified(System.currentTimeMillis())) {
      System.getLogger(HashedContentStore.class.getName())
          .log(System.Logger.Level.DEBUG, "cannot set the modification time of " + file);
    }
  }

  /** Returns true if the file of an address exists. Does not check the contents. */
  public boolean has(String address) {
    return file(address).toFile().exists();
  }

  /**
   * Removes the content of an address, durably. The caller holds the store's lock, and no frame
   * refers to the address.
   */
  public void remove(String address) throws IOException {
    Path file = file(address);
    if (files.deleteIfExists(file)) {
      PrivateFiles.syncDirectory(file.resolveSibling(""));
    }
  }

  /**
   * Returns the content of an address.
   *
   * @throws dev.ralph.log.DamagedException if the content is missing or differs from the stored
   *     content
   */
  public byte[] get(String address) {
    Path file = file(address);
    try {
      byte[] content = files.read(file, LARGEST);
      if (content == null || !address.equals(PREFIX + sha256(content))) {
        throw damaged(file, "was changed after it was written");
      }
      return content;
    } catch (IOException e) {
      // The kind of exception does not tell: a file that can't be opened, for its permissions or
      // for too many open files, fails in the same way and is not lost.
      if (Files.notExists(file)) {
        throw damaged(file, "is missing");
      }
      throw PrivateFiles.failure("cannot read content " + file, e);
    }
  }

  private static RalphException damaged(Path file, String what) {
    return RalphException.damaged(
        "the content file "
            + file
            + " "
            + what
            + "; restore the file from a copy of the store, or import an export with the frame");
  }

  /**
   * Returns the file of an address.
   *
   * @throws RalphException DAMAGED if the address is invalid
   */
  private Path file(String address) {
    if (!isAddress(address)) {
      throw RalphException.damaged(
          "content " + RalphException.quote(address) + " is not an address in " + directory);
    }
    String begin = address.substring(PREFIX.length(), PREFIX.length() + 2);
    return directory.resolve(begin).resolve(address);
  }

  private static String sha256(byte[] content) {
    try {
      return HexFormat.of().formatHex(MessageDigest.getInstance("SHA-256").digest(content));
    } catch (NoSuchAlgorithmException e) {
      throw new IllegalStateException("every Java platform has SHA-256", e);
    }
  }
}
