package dev.ralph.cli;

import dev.ralph.Damage;
import dev.ralph.Meta;
import java.util.ArrayList;
import java.util.List;

/** {@code ralph verify}. */
final class VerifyCommand implements Command {

  @Override
  public Syntax syntax() {
    return Syntax.of("read everything in the store and say what is damaged").store();
  }

  @Override
  public int run(Invocation call) {
    List<Damage> damage = call.store().frames().verify();
    call.endsWith(damage.isEmpty() ? ExitCode.DONE : ExitCode.FAILED);
    if (call.json()) {
      List<Meta> all = new ArrayList<>();
      for (Damage each : damage) {
        all.add(
            Meta.of("file", each.file())
                .with("offset", each.offset())
                .with("bytes", each.bytes())
                .with("frames", each.frames())
                .with("description", each.description()));
      }
      call.answer("verify", "damage", all);
    } else if (damage.isEmpty()) {
      call.print("No damage");
    } else {
      for (Damage each : damage) {
        call.print(
            dev.ralph.cli.text.Harmless.line(each.toString())
                + " (frames lost: "
                + each.frames()
                + " or more)");
      }
    }
    return call.exitCode();
  }
}
