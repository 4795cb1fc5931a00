package dev.ralph.cli.call;

import dev.ralph.core.internal.text.TextFile;
import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.CharacterCodingException;

/** Reads text from standard input. */
public final class PipedText {

  private static final int LIMIT = 256 << 20;

  private PipedText() {}

  /**
   * Reads the whole input without the last line break and a byte order mark.
   *
   * @throws UsageException if the input is not UTF-8, or larger than the limit of all stores
   */
  public static String read(InputStream in) {
    byte[] bytes;
    try {
      bytes = in.readNBytes(LIMIT + 1);
    } catch (IOException e) {
      throw new UsageException("cannot read standard input: " + e.getMessage());
    }
    if (bytes.length > LIMIT) {
      throw new UsageException("the text on standard input has more than " + LIMIT + " bytes");
    }
    String text;
    try {
      text = TextFile.decode(bytes);
    } catch (CharacterCodingException e) {
      throw new UsageException("the text on standard input is not valid UTF-8");
    }
    if (text.endsWith("\n")) {
      return text.substring(0, text.length() - (text.endsWith("\r\n") ? 2 : 1));
    }
    return text;
  }
}
