package dev.ralph.cli.store;

import dev.ralph.cli.call.Command;
import dev.ralph.cli.call.CommandSyntax;
import dev.ralph.cli.call.Invocation;
import dev.ralph.cli.call.Json;

/** {@code ralph compact}. */
public final class CompactCommand implements Command {

  private static final long KIBIBYTE = 1024;

  @Override
  public CommandSyntax syntax() {
    return CommandSyntax.of("compress the store's log and free the space of erased frames").store();
  }

  @Override
  public void run(Invocation call) {
    long freed = call.store().frames().compact();
    if (call.json()) {
      call.print(Json.of("compacted").with("bytes", freed).json());
    } else if (freed == 0) {
      call.print("Nothing to compact");
    } else {
      call.print("Freed " + (freed + KIBIBYTE - 1) / KIBIBYTE + " KiB");
    }
  }
}
