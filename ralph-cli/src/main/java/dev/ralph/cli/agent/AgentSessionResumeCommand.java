package dev.ralph.cli.agent;

import dev.ralph.Ralph;
import dev.ralph.cli.call.Command;
import dev.ralph.cli.call.CommandSyntax;
import dev.ralph.cli.call.Invocation;
import dev.ralph.cli.call.UsageException;
import dev.ralph.log.RalphException;
import dev.ralph.openspec.internal.ChangeSession;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** {@code ralph agent session resume}. */
public final class AgentSessionResumeCommand implements Command {

  @Override
  public CommandSyntax syntax() {
    return AgentCall.own(
        AgentCall.owner(
            CommandSyntax.of("resume the newest session of a change whose orchestrator died")
                .value("change", "CHANGE", "the change, if no session is given")));
  }

  @Override
  public void run(Invocation call) {
    String change = call.changeName();
    ProcessHandle owner = AgentCall.owner(call);
    ChangeSession work;
    if (AgentCall.sessionIfAny(call) == null) {
      call.stores().share();
      work = newest(call.store().ralph(), AgentCall.project(call), change);
    } else {
      work = AgentCall.session(call);
      if (change != null && !change.equals(work.changeName())) {
        throw new UsageException(
            "the session "
                + work.name()
                + " is for the change "
                + work.changeName()
                + ", not "
                + change);
      }
    }
    work.resume(owner);
    AgentForm.session(call, work);
  }

  /** Returns the newest open session. */
  private static ChangeSession newest(Ralph ralph, Path project, @Nullable String change) {
    Map<String, ChangeSession> open = new LinkedHashMap<>();
    for (ChangeSession each : ChangeSession.list(ralph, project)) {
      if (!each.hasEnded() && (change == null || change.equals(each.changeName()))) {
        open.put(each.changeName(), each);
      }
    }
    List<ChangeSession> found = new ArrayList<>(open.values());
    if (found.isEmpty()) {
      throw RalphException.notFound(
          "no session to resume"
              + (change == null ? "" : " on the change " + RalphException.quote(change))
              + "; ralph agent session init starts a session");
    }
    if (found.size() > 1) {
      throw new UsageException(
          "sessions on several changes are open: "
              + String.join(", ", open.keySet())
              + "; choose with --change");
    }
    return found.get(0);
  }
}
