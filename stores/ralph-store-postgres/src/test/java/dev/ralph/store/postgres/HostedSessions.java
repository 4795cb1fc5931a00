package dev.ralph.store.postgres;

import dev.ralph.AgentResult;
import dev.ralph.Loop;
import dev.ralph.Ralph;
import dev.ralph.Session;
import dev.ralph.Task;
import dev.ralph.Turn;
import dev.ralph.core.internal.host.SessionHost;
import dev.ralph.core.internal.host.SessionWork;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;

/**
 * A session host in a process of its own. Arguments: the store's address, a folder, and the
 * repository to clone. The agent completes one task in each iteration.
 */
final class HostedSessions {

  static final Duration LEASE = Duration.ofSeconds(4);

  private static final Duration GRACE = Duration.ofMillis(500);

  private HostedSessions() {}

  public static void main(String[] args) throws Exception {
    Path folder = Path.of(args[1]);
    try (Ralph ralph = Ralph.open(args[0]);
        SessionHost host =
            SessionHost.builder(ralph, work -> loop(work, folder.resolveSibling("may")))
                .folder(folder)
                .repository(args[2])
                .sessions(2)
                .onEvent(event -> System.out.println(event.type() + " " + event.message()))
                .build()) {
      host.run();
    }
  }

  private static Loop.Builder loop(SessionWork work, Path permit) {
    return work.session()
        .loop(turn -> doNext(turn, permit))
        .doneWhen(session -> true)
        .failurePause(Duration.ZERO)
        .lease(LEASE)
        .grace(GRACE);
  }

  /** Completes the next task. The second task waits until the test creates the permit file. */
  private static AgentResult doNext(Turn turn, Path permit) throws Exception {
    Session session = turn.session();
    List<Task> ready = session.tasks().ready();
    if (ready.isEmpty()) {
      return AgentResult.success(); // the previous loop ended between the last task and completion
    }
    Task task = ready.get(0);
    while (task.number() == 2 && !Files.exists(permit)) {
      Thread.sleep(20);
    }
    Files.writeString(turn.directory().resolve(task.content() + ".txt"), task.content() + "\n");
    session.tasks().complete(task.id());
    return AgentResult.success();
  }
}
