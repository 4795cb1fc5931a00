package dev.ralph.cli;

import java.util.List;

/** {@code ralph sessions}. */
final class SessionsCommand implements Command {

  @Override
  public Syntax syntax() {
    return Syntax.of("the sessions in the store").store();
  }

  @Override
  public int run(Invocation call) {
    List<String> names = call.store().sessions();
    if (call.json()) {
      call.answer("sessions", "sessions", names);
    } else if (names.isEmpty()) {
      call.print("No sessions yet");
    } else {
      for (String name : names) {
        call.print(name);
      }
    }
    return ExitCode.DONE;
  }
}
