package dev.ralph.cli.project;

import dev.ralph.cli.call.Command;
import dev.ralph.cli.call.CommandSyntax;
import dev.ralph.cli.call.ConfigFile;
import dev.ralph.cli.call.Invocation;
import dev.ralph.cli.call.Json;
import dev.ralph.cli.call.Project;
import dev.ralph.cli.loop.BuildCommand;
import dev.ralph.cli.loop.BuildConfig;
import dev.ralph.cli.loop.ProjectTrust;
import dev.ralph.cli.text.SafeText;
import dev.ralph.log.RalphException;
import dev.ralph.openspec.internal.Change;
import dev.ralph.openspec.internal.Verification;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;

/** {@code ralph trust}. */
public final class TrustCommand implements Command {

  @Override
  public CommandSyntax syntax() {
    return CommandSyntax.of("trust the options and checks in the present files of a project")
        .flag("revoke", "withdraw the trust in all versions of the files")
        .common();
  }

  @Override
  public void run(Invocation call) {
    Path project = Project.folder(call.environment(), Change.FOLDER);
    boolean hasChanges = Files.isDirectory(project.resolve(Change.FOLDER));
    if (call.arguments().has("revoke")) {
      revoke(call, project, hasChanges);
    } else {
      trust(call, project, hasChanges);
    }
  }

  private static void trust(Invocation call, Path project, boolean hasChanges) {
    BuildConfig config = BuildConfig.of(call, new BuildCommand().syntax());
    ProjectTrust trust = new ProjectTrust(call).config(config);
    if (hasChanges) {
      trust.checks(project, project);
    }
    List<Path> files = trust.files();
    if (files.isEmpty()) {
      throw RalphException.notFound(
          "nothing to trust: no options in a "
              + ConfigFile.NAME
              + " of this folder or the folders above, and no checks of OpenSpec changes");
    }
    trust.grant();
    if (!call.json()) {
      trust.lines().forEach(call::print);
    }
    answer(call, "trusted", files);
  }

  private static void revoke(Invocation call, Path project, boolean hasChanges) {
    Path config = Project.file(call.environment(), ConfigFile.NAME);
    Path checks = project.resolve(Verification.FILE);
    List<Path> files = new ArrayList<>();
    if (config != null && call.environment().trust().revoke(config)) {
      files.add(config);
    }
    if (hasChanges && call.environment().trust().revoke(checks)) {
      files.add(checks);
    }
    if (files.isEmpty()) {
      throw RalphException.notFound("no file of this project is trusted");
    }
    answer(call, "revoked", files);
  }

  private static void answer(Invocation call, String what, List<Path> files) {
    if (call.json()) {
      call.print(Json.of("trust").with(what, files.stream().map(Path::toString).toList()).json());
      return;
    }
    for (Path file : files) {
      call.print(
          (what.equals("trusted") ? "Trusted: " : "No longer trusted: ")
              + SafeText.line(file.toString()));
    }
  }
}
