package dev.ralph.cli.store;

import dev.ralph.cli.call.Command;
import dev.ralph.cli.call.CommandSyntax;
import dev.ralph.cli.call.ExitCode;
import dev.ralph.cli.call.Invocation;
import dev.ralph.cli.call.Json;
import dev.ralph.cli.text.SafeText;
import dev.ralph.log.Damage;
import dev.ralph.log.FrameLog;
import dev.ralph.log.Meta;
import java.util.List;

/** {@code ralph verify}. */
public final class VerifyCommand implements Command {

  private static final String REMOVE = "remove-leftovers";

  @Override
  public CommandSyntax syntax() {
    return CommandSyntax.of("read the whole store and report damage")
        .flag(REMOVE, "remove unused files of killed processes")
        .store();
  }

  @Override
  public void run(Invocation call) {
    FrameLog frames = call.store().frames();
    call.stores().warnIfTracked();
    List<Damage> damage = frames.verify();
    boolean removed = call.arguments().has(REMOVE);
    List<String> leftovers = removed ? frames.removeLeftovers() : frames.leftovers();
    call.exitWith(damage.isEmpty() ? ExitCode.DONE : ExitCode.FAILED);
    if (call.json()) {
      call.print(
          Json.of("verify")
              .with("damage", damage.stream().map(VerifyCommand::json).toList())
              .with("leftovers", leftovers)
              .with("removed", removed)
              .json());
    } else {
      print(call, damage);
      print(call, leftovers, removed);
    }
  }

  private static Meta json(Damage damage) {
    return Meta.of("file", damage.file())
        .with("offset", damage.offset())
        .with("bytes", damage.bytes())
        .with("frames", damage.frames())
        .with("description", damage.description());
  }

  private static void print(Invocation call, List<Damage> damage) {
    if (damage.isEmpty()) {
      call.print("No damage");
    }
    for (Damage each : damage) {
      call.print(SafeText.line(each.toString()) + " (frames lost: " + each.frames() + " or more)");
    }
  }

  private static void print(Invocation call, List<String> leftovers, boolean removed) {
    for (String file : leftovers) {
      call.print(
          (removed ? "Removed: " : "Unused file of a killed process: ") + SafeText.line(file));
    }
    if (!leftovers.isEmpty() && !removed) {
      call.print("These files only use space; ralph verify --" + REMOVE + " removes them");
    }
  }
}
