package dev.ralph.transfer;

import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;

/** Hashes as both formats have them. */
final class Hashes {

  private static final char[] HEX = "0123456789abcdef".toCharArray();

  private Hashes() {}

  static MessageDigest sha256() {
    return of("SHA-256");
  }

  /** Returns the algorithm of that name, one that every Java has. */
  static MessageDigest of(String algorithm) {
    try {
      return MessageDigest.getInstance(algorithm);
    } catch (NoSuchAlgorithmException e) {
      throw new IllegalStateException("every Java platform has " + algorithm, e);
    }
  }

  static String hex(byte[] bytes) {
    StringBuilder text = new StringBuilder(bytes.length * 2);
    for (byte b : bytes) {
      text.append(HEX[b >> 4 & 15]).append(HEX[b & 15]);
    }
    return text.toString();
  }
}
