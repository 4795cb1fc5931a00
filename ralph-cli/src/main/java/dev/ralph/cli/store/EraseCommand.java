package dev.ralph.cli.store;

import dev.ralph.cli.call.Command;
import dev.ralph.cli.call.Invocation;
import dev.ralph.cli.call.Json;
import dev.ralph.cli.call.Syntax;
import java.util.List;

/** {@code ralph erase}. */
public final class EraseCommand implements Command {

  @Override
  public Syntax syntax() {
    return Syntax.of("erase frames for good: what they say is in no file of the store any more")
        .arguments("ID")
        .store();
  }

  @Override
  public void run(Invocation call) {
    List<String> ids = call.arguments().all();
    int erased = call.store().frames().erase(ids);
    if (call.json()) {
      call.print(Json.of("erased").with("frames", erased).json());
    } else if (erased == 0) {
      call.print("Nothing to erase: it was erased before");
    } else {
      call.print(
          "Erased "
              + ImportCommand.count(erased, "frame")
              + " for good; backups, exports and copies of the store still hold "
              + (erased == 1 ? "it" : "them"));
    }
  }
}
