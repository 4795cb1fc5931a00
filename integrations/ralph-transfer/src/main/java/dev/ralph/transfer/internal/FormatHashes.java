package dev.ralph.transfer.internal;

import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.HexFormat;

/** Hash functions of both formats. */
final class FormatHashes {

  private FormatHashes() {}

  static MessageDigest sha256() {
    return of("SHA-256");
  }

  /** Returns a digest of an algorithm that all Java platforms provide. */
  static MessageDigest of(String algorithm) {
    try {
      return MessageDigest.getInstance(algorithm);
    } catch (NoSuchAlgorithmException e) {
      throw new IllegalStateException("every Java platform has " + algorithm, e);
    }
  }

  static String hex(byte[] bytes) {
    return HexFormat.of().formatHex(bytes);
  }
}
