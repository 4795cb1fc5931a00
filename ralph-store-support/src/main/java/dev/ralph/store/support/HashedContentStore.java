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
 * Keeps contents too large for the log itself, each in a file named by its SHA-256, in folders by
 * the hash's first two digits.
 */
public final class HashedContentStore {

  private static final String PREFIX = "sha256-";
  private static final int ADDRESS_LENGTH = PREFIX.length() + 64;

  /** No store takes more. */
  private static final int LARGEST = 64 << 20;

  private final StoreFiles files;
  private final Path directory;

  /** Uses the folder {@code content} of a store, which is made when first needed. */
  public HashedContentStore(StoreFiles store) {
    this.files = store;
    this.directory = store.path("content");
  }

  /**
   * Returns whether a text is an address, in the one form that there is: what a store says of where
   * a content lies is somebody's word, and must lead nowhere else.
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
   * Keeps the bytes and makes them durable.
   *
   * @return their address: the hash's name, a dash, and the hash in hexadecimal
   * @throws RalphException FULL if there is no room, IO if writing fails
   */
  public String put(byte[] content) {
    String address = PREFIX + sha256(content);
    Path file = file(address);
    try {
      if (holds(file, content)) {
        refresh(file);
        PrivateFiles.syncDirectory(file.resolveSibling("")); // its writer may not have got to this
      } else {
        files.createDirectories(file.resolveSibling(""));
        files.writeAtomically(file, content, true);
      }
    } catch (IOException e) {
      throw PrivateFiles.failure("cannot keep content in " + directory, e);
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

  /** Makes a file as young as one that was just written, so that it does not count as left over. */
  private static void refresh(Path file) {
    if (!file.toFile().setLastModified(System.currentTimeMillis())) {
      System.getLogger(HashedContentStore.class.getName())
          .log(System.Logger.Level.DEBUG, "another user's file stays as old as it is: " + file);
    }
  }

  /** Returns whether there is a file of that address, whatever is in it. */
  public boolean has(String address) {
    return file(address).toFile().exists();
  }

  /** Removes the content of that address, durably. Under the store's lock; no frame names it. */
  public void remove(String address) throws IOException {
    Path file = file(address);
    if (files.deleteIfExists(file)) {
      PrivateFiles.syncDirectory(file.resolveSibling(""));
    }
  }

  /**
   * Returns the bytes of that address.
   *
   * @throws dev.ralph.log.DamagedException if they are missing or are not what was put
   */
  public byte[] get(String address) {
    Path file = file(address);
    try {
      byte[] content = files.read(file, LARGEST);
      if (content == null || !address.equals(PREFIX + sha256(content))) {
        throw damaged(file, "is not what was written");
      }
      return content;
    } catch (IOException e) {
      // Not by the kind of failure: one that can't be opened, for its rights or for want of file
      // descriptors, looks the same, and is not lost.
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
            + "; put it back from a copy of the store, or import an export that holds the frame");
  }

  /**
   * Returns where the content of that address lies.
   *
   * @throws RalphException DAMAGED if it is not an address
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
