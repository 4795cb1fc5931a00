package dev.ralph.transfer.internal;

import dev.ralph.log.RalphException;
import java.io.IOException;
import java.io.InputStream;
import java.nio.ByteBuffer;
import java.nio.charset.CharacterCodingException;
import java.nio.charset.StandardCharsets;
import java.nio.file.AccessDeniedException;
import java.nio.file.FileSystemException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.BasicFileAttributes;
import java.security.MessageDigest;
import java.util.ArrayList;
import java.util.Base64;
import java.util.List;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/**
 * The contents of xs frames by hash: {@code content-v2/sha256/ab/cd/…} with hexadecimal digits in a
 * store, or files named by the base 64 hash in an export.
 */
final class HashedContents {

  private static final Pattern HASH = Pattern.compile("sha(1|256|384|512)-([A-Za-z0-9+/]+=*)");

  /**
   * The result of a search for content.
   *
   * @param text the content; empty if there is a problem
   * @param problem the reason why the content is unavailable, or null
   */
  record Found(String text, @Nullable String problem) {

    static Found of(String text) {
      return new Found(text, null);
    }

    static Found problem(String problem) {
      return new Found("", problem);
    }
  }

  private record Hash(String algorithm, byte[] digest) {

    static @Nullable Hash parse(String text) {
      Matcher hash = HASH.matcher(text);
      if (!hash.matches()) {
        return null;
      }
      try {
        return new Hash("SHA-" + hash.group(1), Base64.getDecoder().decode(hash.group(2)));
      } catch (IllegalArgumentException notBase64) {
        return null;
      }
    }

    /** Returns the algorithm's name as hash texts contain it, for example {@code sha256}. */
    String word() {
      return "sha" + algorithm.substring("SHA-".length());
    }
  }

  private final List<Path> folders = new ArrayList<>();

  /**
   * Opens the contents in a store's folder, its {@code cacache}, an export, or its {@code cas}.
   *
   * @throws RalphException NOT_FOUND if the folder does not exist
   */
  HashedContents(Path folder) {
    if (!Files.isDirectory(folder)) {
      throw RalphException.notFound(
          "no folder with contents " + RalphException.quote(folder.toString()));
    }
    for (String below : List.of("", "cacache", "cas")) {
      folders.add(folder.resolve(below));
    }
  }

  /** Returns the content with the given hash. */
  Found find(String text) {
    Hash hash = Hash.parse(text);
    if (hash == null) {
      return unknown(text);
    }
    String hex = FormatHashes.hex(hash.digest());
    if (hex.length() < 5) {
      return unknown(text);
    }
    String cached =
        String.join(
            "/",
            "content-v2",
            hash.word(),
            hex.substring(0, 2),
            hex.substring(2, 4),
            hex.substring(4));
    // The path is built from the parsed hash, because text in the file must not choose a path.
    String canonical = hash.word() + "-" + Base64.getEncoder().encodeToString(hash.digest());
    String exported =
        Base64.getEncoder().encodeToString(canonical.getBytes(StandardCharsets.US_ASCII));
    for (Path folder : folders) {
      for (String name : List.of(cached, exported)) {
        byte[] content = read(folder.resolve(name));
        if (content != null) {
          return content.length > ExportFormat.MAX_CONTENT_CHARACTERS
              ? Found.problem(
                  "the content "
                      + text
                      + " has more than "
                      + ExportFormat.MAX_CONTENT_CHARACTERS
                      + " bytes")
              : check(text, content);
        }
      }
    }
    return Found.problem("the content " + text + " was not found");
  }

  /**
   * Returns the bytes of a file, at most one byte more than the limit of content; null if the file
   * is missing.
   *
   * @throws RalphException IO with the file's name, which differs from the imported file
   */
  private static byte @Nullable [] read(Path file) {
    try {
      if (!Files.readAttributes(file, BasicFileAttributes.class).isRegularFile()) {
        return null;
      }
      try (InputStream in = Files.newInputStream(file)) {
        return in.readNBytes(ExportFormat.MAX_CONTENT_CHARACTERS + 1);
      }
    } catch (AccessDeniedException e) {
      throw failure(file, "may not be read", e);
    } catch (FileSystemException missing) {
      return null;
    } catch (IOException e) {
      throw failure(file, "can't be read: " + e.getMessage(), e);
    }
  }

  private static RalphException failure(Path file, String what, IOException e) {
    return RalphException.io("the file with content " + file + " " + what, e);
  }

  /** Returns the content if it matches the hash and is UTF-8 text. */
  static Found check(String text, byte[] content) {
    Hash hash = Hash.parse(text);
    if (hash == null) {
      return unknown(text);
    }
    if (!MessageDigest.isEqual(hash.digest(), FormatHashes.of(hash.algorithm()).digest(content))) {
      return Found.problem("the content does not match the hash " + text);
    }
    try {
      return Found.of(
          StandardCharsets.UTF_8.newDecoder().decode(ByteBuffer.wrap(content)).toString());
    } catch (CharacterCodingException e) {
      return Found.problem("the content " + text + " is not UTF-8 text");
    }
  }

  private static Found unknown(String text) {
    return Found.problem(
        "the hash "
            + RalphException.quote(text)
            + " is not supported; expected a form such as sha256-… in base 64");
  }
}
