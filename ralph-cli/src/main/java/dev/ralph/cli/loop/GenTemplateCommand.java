package dev.ralph.cli.loop;

import dev.ralph.cli.call.Command;
import dev.ralph.cli.call.CommandSyntax;
import dev.ralph.cli.call.Invocation;
import dev.ralph.core.internal.engine.CoreEngine;
import dev.ralph.log.RalphException;
import dev.ralph.openspec.internal.StoryPrompt;
import java.nio.file.Path;

/** {@code ralph gen-template}. */
public final class GenTemplateCommand implements Command {

  static final String FILE = ".ralph.template";

  /**
   * The file for a template of changes. No command reads the file unless an option names the file.
   */
  private static final String FILE_OF_CHANGE = ".ralph.change.template";

  @Override
  public CommandSyntax syntax() {
    return CommandSyntax.of("write the built-in prompt template to " + FILE + " for editing")
        .flag("change", "write the template for OpenSpec changes to " + FILE_OF_CHANGE)
        .flag("stdout", "write to standard output")
        .flag("force", "replace an existing file")
        .common();
  }

  @Override
  public void run(Invocation call) {
    boolean ofChange = call.arguments().has("change");
    String template = ofChange ? StoryPrompt.template() : new CoreEngine().builtInTemplate();
    String name = ofChange ? FILE_OF_CHANGE : FILE;
    if (call.arguments().has("stdout")) {
      if (call.json()) {
        call.answer("template", "text", template);
      } else {
        call.environment().out().now(template);
      }
      return;
    }
    Path file = call.environment().directory().resolve(name);
    if (!call.arguments().has("force") && WholeFile.isThere(file)) {
      throw RalphException.invalid(name + " already exists; --force replaces it");
    }
    WholeFile.write(file, template);
    if (call.json()) {
      call.answer("template", "file", file.toString());
    } else {
      call.print(
          "Wrote "
              + name
              + (ofChange
                  ? "; to use it: ralph build --change CHANGE --template " + name
                  : "; ralph build uses it from now on"));
    }
  }
}
