package dev.ralph.cli;

import dev.ralph.RalphException;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.charset.CharacterCodingException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import javax.annotation.Nullable;

/**
 * Finds the template of the prompt: the one named, else the nearest {@code .ralph.template}, else
 * built in.
 */
final class Templates {

  private Templates() {}

  /**
   * Returns the template's text, or null for the built-in one.
   *
   * @param named the file given by {@code --template}, or null
   * @throws RalphException NOT_FOUND if the file named does not exist, INVALID if it is not UTF-8
   */
  @Nullable
  static String find(@Nullable String named, Environment environment) {
    Path file =
        named == null
            ? new Project(environment.directory()).find(GenTemplateCommand.FILE)
            : environment.path(named);
    if (file == null) {
      return null;
    }
    String shown = RalphException.quote(file.toString());
    try {
      return StandardCharsets.UTF_8
          .newDecoder()
          .decode(ByteBuffer.wrap(Files.readAllBytes(file)))
          .toString();
    } catch (NoSuchFileException e) {
      throw RalphException.notFound("the template " + shown + " does not exist");
    } catch (CharacterCodingException e) {
      throw RalphException.invalid("the template " + shown + " is not valid UTF-8");
    } catch (IOException e) {
      throw new RalphException(
          RalphException.Code.IO, "the template " + shown + " can't be read", e);
    }
  }
}
