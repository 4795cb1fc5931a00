package dev.ralph.cli.store;

import dev.ralph.IterationLog;
import dev.ralph.cli.call.Arguments;
import dev.ralph.cli.call.Command;
import dev.ralph.cli.call.CommandSyntax;
import dev.ralph.cli.call.Invocation;
import dev.ralph.cli.call.Json;
import dev.ralph.cli.call.UsageException;
import java.time.Duration;
import java.time.Instant;
import java.util.List;

/** {@code ralph erase}. */
public final class EraseCommand implements Command {

  private static final String ITERATION = "iteration";
  private static final String RECORDS = "records-older-than";

  @Override
  public CommandSyntax syntax() {
    return CommandSyntax.of("erase the content of frames permanently from all files of the store")
        .optionalArguments("ID")
        .session()
        .value(ITERATION, "N", "erase the prompt, output and record of iteration N")
        .value(
            RECORDS,
            "TIME",
            "erase records of iterations older than this, such as 30d; keeps transcripts")
        .store();
  }

  @Override
  public void run(Invocation call) {
    int erased = erase(call);
    if (call.json()) {
      call.print(Json.of("erased").with("frames", erased).json());
    } else if (erased == 0) {
      call.print("Nothing to erase: already erased");
    } else {
      call.print(
          "Erased "
              + ImportCommand.count(erased, "frame")
              + " permanently; backups, exports and copies of the store still contain "
              + (erased == 1 ? "it" : "them"));
    }
  }

  private static int erase(Invocation call) {
    Arguments arguments = call.arguments();
    List<String> ids = arguments.all();
    int iteration = arguments.number(ITERATION, 0, 1, Integer.MAX_VALUE);
    Duration age = arguments.duration(RECORDS);
    int given = (ids.isEmpty() ? 0 : 1) + (iteration == 0 ? 0 : 1) + (age == null ? 0 : 1);
    if (given != 1) {
      throw new UsageException("name frames by ID, or give --iteration or --" + RECORDS);
    }
    if (!ids.isEmpty()) {
      return call.store().frames().erase(ids);
    }
    IterationLog log = call.session().iterations();
    return age == null ? log.erase(iteration) : log.eraseRecords(Instant.now().minus(age));
  }
}
