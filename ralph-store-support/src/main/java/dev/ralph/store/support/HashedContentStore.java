package dev.ralph.store.support;

import dev.ralph.RalphException;
import dev.ralph.spi.ContentStore;
import java.io.FileNotFoundException;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.Arrays;
import java.util.HexFormat;

/** Keeps each content in a file named by its SHA-256, in folders by the hash's first two digits. */
public final class HashedContentStore implements ContentStore {

  private static final String PREFIX = "sha256-";

  /** What every address looks like, as a regular expression. */
  static final String ADDRESS = PREFIX + "[0-9a-f]{64}";

  private final Path directory;

  /** Uses that folder, which is made when first needed. */
  public HashedContentStore(Path directory) {
    this.directory = directory;
  }

  @Override
  public String put(byte[] content) {
    String address = PREFIX + sha256(content);
    Path folder = folder(address);
    Path file = folder.resolve(address);
    try {
      if (holds(file, content)) {
        refresh(file);
        PrivateFiles.syncDirectory(folder); // its writer may not have got to this
      } else {
        PrivateFiles.createDirectories(folder);
        PrivateFiles.writeAtomically(file, content, true);
      }
    } catch (IOException e) {
      throw PrivateFiles.failure("cannot keep content in " + directory, e);
    }
    return address;
  }

  private static boolean holds(Path file, byte[] content) throws IOException {
    try {
      return file.toFile().exists() && Arrays.equals(PrivateFiles.read(file), content);
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
  boolean has(String address) {
    return file(address).toFile().exists();
  }

  /** Removes the content of that address, durably. Under the store's lock; no frame names it. */
  public void remove(String address) throws IOException {
    if (Files.deleteIfExists(file(address))) {
      PrivateFiles.syncDirectory(folder(address));
    }
  }

  @Override
  public byte[] get(String address) {
    if (!address.matches(ADDRESS)) {
      throw RalphException.damaged(
          "content " + RalphException.quote(address) + " is not an address in " + directory);
    }
    Path file = file(address);
    try {
      byte[] content = PrivateFiles.read(file);
      if (!address.equals(PREFIX + sha256(content))) {
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

  private Path folder(String address) {
    return directory.resolve(address.substring(PREFIX.length(), PREFIX.length() + 2));
  }

  private Path file(String address) {
    return folder(address).resolve(address);
  }

  private static String sha256(byte[] content) {
    try {
      return HexFormat.of().formatHex(MessageDigest.getInstance("SHA-256").digest(content));
    } catch (NoSuchAlgorithmException e) {
      throw new IllegalStateException("every Java platform has SHA-256", e);
    }
  }
}
