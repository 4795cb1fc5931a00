package dev.ralph.store.support;

import dev.ralph.RalphException;
import dev.ralph.spi.ContentStore;
import java.io.FileNotFoundException;
import java.io.IOException;
import java.nio.file.Path;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.Arrays;
import java.util.HexFormat;

/** Keeps each content in a file named by its SHA-256, in folders by the hash's first two digits. */
public final class HashedContentStore implements ContentStore {

  private static final String PREFIX = "sha256-";

  private final Path directory;

  /** Uses that folder, which is made when first needed. */
  public HashedContentStore(Path directory) {
    this.directory = directory;
  }

  @Override
  public String put(byte[] content) {
    String address = PREFIX + sha256(content);
    Path file = file(address);
    try {
      if (file.toFile().exists() && Arrays.equals(PrivateFiles.read(file), content)) {
        PrivateFiles.syncDirectory(file.getParent()); // whoever wrote it may not have got to this
      } else {
        PrivateFiles.createDirectories(file.getParent());
        PrivateFiles.writeAtomically(file, content, true);
      }
    } catch (IOException e) {
      throw PrivateFiles.failure("cannot keep content in " + directory, e);
    }
    return address;
  }

  @Override
  public byte[] get(String address) {
    if (!address.matches(PREFIX + "[0-9a-f]{64}")) {
      throw damaged(address, "is not an address");
    }
    try {
      byte[] content = PrivateFiles.read(file(address));
      if (!address.equals(PREFIX + sha256(content))) {
        throw damaged(address, "is not what was written");
      }
      return content;
    } catch (FileNotFoundException e) {
      throw damaged(address, "is missing");
    } catch (IOException e) {
      throw PrivateFiles.failure("cannot read content " + address, e);
    }
  }

  private RalphException damaged(String address, String what) {
    return new RalphException(
        RalphException.Code.DAMAGED,
        "content " + RalphException.quote(address) + " " + what + " in " + directory);
  }

  private Path file(String address) {
    String hash = address.substring(PREFIX.length());
    return directory.resolve(hash.substring(0, 2)).resolve(address);
  }

  private static String sha256(byte[] content) {
    try {
      return HexFormat.of().formatHex(MessageDigest.getInstance("SHA-256").digest(content));
    } catch (NoSuchAlgorithmException e) {
      throw new IllegalStateException("every Java platform has SHA-256", e);
    }
  }
}
