package dev.ralph.cli;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.charset.CharacterCodingException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;

/**
 * Detects arguments that are not UTF-8 or not in the locale's charset. The virtual machine silently
 * replaces undecodable bytes by U+FFFD, and storing the result would lose text.
 */
final class CommandLineBytes {

  private static final Path OWN = Path.of("/proc/self/cmdline");

  private CommandLineBytes() {}

  /** Returns whether an argument demonstrably differs from the passed bytes. */
  static boolean areLost(List<String> args) {
    boolean suspect = false;
    for (String arg : args) {
      suspect |= arg.indexOf('\ufffd') >= 0;
    }
    if (!suspect || !Files.isReadable(OWN)) {
      return false;
    }
    try {
      ByteBuffer bytes = ByteBuffer.wrap(Files.readAllBytes(OWN));
      String passed = StandardCharsets.UTF_8.newDecoder().decode(bytes).toString();
      return !List.of(passed.split("\0", -1)).containsAll(args);
    } catch (CharacterCodingException notUtf8) {
      return true;
    } catch (IOException unknown) {
      return false;
    }
  }
}
