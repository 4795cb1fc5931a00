package dev.ralph.cli.loop;

import dev.ralph.Ralph;
import dev.ralph.RalphException;
import dev.ralph.cli.call.Command;
import dev.ralph.cli.call.ExitCode;
import dev.ralph.cli.call.Invocation;
import dev.ralph.cli.call.Syntax;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.FileAlreadyExistsException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;

/** {@code ralph gen-template}. */
public final class GenTemplateCommand implements Command {

  static final String FILE = ".ralph.template";

  @Override
  public Syntax syntax() {
    return Syntax.of("write the built-in prompt template to " + FILE + ", to be changed")
        .flag("stdout", "write it to standard output instead")
        .flag("force", "replace the file that is there")
        .common();
  }

  @Override
  public int run(Invocation call) {
    String template = Ralph.builtInTemplate();
    if (call.arguments().has("stdout")) {
      if (call.json()) {
        call.answer("template", "text", template);
      } else {
        call.environment().out().now(template);
      }
      return ExitCode.DONE;
    }
    Path file = call.environment().directory().resolve(FILE);
    try {
      if (call.arguments().has("force")) {
        Files.write(file, template.getBytes(StandardCharsets.UTF_8));
      } else {
        Files.write(file, template.getBytes(StandardCharsets.UTF_8), StandardOpenOption.CREATE_NEW);
      }
    } catch (FileAlreadyExistsException e) {
      throw RalphException.invalid(FILE + " is there already; --force replaces it");
    } catch (IOException e) {
      throw RalphException.io(file + " can't be written: " + e.getMessage(), e);
    }
    if (call.json()) {
      call.answer("template", "file", file.toString());
    } else {
      call.print("Wrote " + FILE + "; ralph build uses it from now on");
    }
    return ExitCode.DONE;
  }
}
