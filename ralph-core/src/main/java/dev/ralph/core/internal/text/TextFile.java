package dev.ralph.core.internal.text;

import dev.ralph.log.RalphException;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.charset.CharacterCodingException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;

/** Reads text files of the user. */
public final class TextFile {

  private static final String BYTE_ORDER_MARK = "\ufeff";

  private TextFile() {}

  /**
   * Returns the text of a file.
   *
   * @param what the name of the file in messages, such as {@code the template}
   * @throws RalphException NOT_FOUND if the file does not exist, INVALID if it is not UTF-8, IO if
   *     it can't be read
   */
  public static String read(String what, Path file) {
    String shown = what + " " + RalphException.quote(file.toString());
    try {
      return decode(Files.readAllBytes(file));
    } catch (NoSuchFileException e) {
      throw RalphException.notFound(
          shown
              + (Files.isSymbolicLink(file)
                  ? " is a link to a file that does not exist"
                  : " does not exist"));
    } catch (CharacterCodingException e) {
      throw RalphException.invalid(shown + " is not valid UTF-8");
    } catch (IOException e) {
      throw RalphException.io(shown + " can't be read", e);
    }
  }

  /**
   * Decodes UTF-8, {@linkplain #withoutMark without a byte order mark}.
   *
   * @throws CharacterCodingException if the bytes are not UTF-8
   */
  public static String decode(byte[] utf8) throws CharacterCodingException {
    return withoutMark(
        StandardCharsets.UTF_8.newDecoder().decode(ByteBuffer.wrap(utf8)).toString());
  }

  /** Removes the byte order mark that some editors write. */
  public static String withoutMark(String text) {
    return text.startsWith(BYTE_ORDER_MARK) ? text.substring(BYTE_ORDER_MARK.length()) : text;
  }
}
