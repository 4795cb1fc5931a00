package dev.ralph.cli.agent;

import dev.ralph.Ralph;
import dev.ralph.cli.call.Command;
import dev.ralph.cli.call.Invocation;
import dev.ralph.cli.call.Syntax;
import dev.ralph.cli.call.UsageException;
import dev.ralph.log.RalphException;
import dev.ralph.openspec.ChangeSession;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** {@code ralph agent session resume}. */
public final class AgentSessionResumeCommand implements Command {

  @Override
  public Syntax syntax() {
    return AgentCall.own(
        AgentCall.owner(
            Syntax.of("go on with a session whose orchestrator died; the newest of its change")
                .value("change", "CHANGE", "the change, where no session is named")));
  }

  @Override
  public void run(Invocation call) {
    String change = call.changeName();
    ProcessHandle owner = AgentCall.owner(call);
    ChangeSession work;
    if (AgentCall.sessionIfAny(call) == null) {
      call.shareStore();
      work = newest(call.store().ralph(), AgentCall.project(call), change);
    } else {
      work = AgentCall.session(call);
      if (change != null && !change.equals(work.changeName())) {
        throw new UsageException(
            "the session " + work.name() + " is one on " + work.changeName() + ", not " + change);
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
          "there is no session to go on with"
              + (change == null ? "" : " on the change " + RalphException.quote(change))
              + "; ralph agent session init begins one");
    }
    if (found.size() > 1) {
      throw new UsageException(
          "there are sessions on several changes, "
              + String.join(", ", open.keySet())
              + "; say which by --change");
    }
    return found.get(0);
  }
}
