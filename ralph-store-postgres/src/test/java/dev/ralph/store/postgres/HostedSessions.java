package dev.ralph.store.postgres;

import dev.ralph.AgentResult;
import dev.ralph.Loop;
import dev.ralph.Ralph;
import dev.ralph.Session;
import dev.ralph.Task;
import dev.ralph.Turn;
import dev.ralph.core.host.SessionHost;
import dev.ralph.core.host.SessionWork;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;

/**
 * A host of sessions on a machine of its own: the address of its store, its folder, and the
 * repository that it may fetch. An agent does one task in each iteration, once it is let.
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

  private static Loop.Builder loop(SessionWork work, Path may) {
    return work.session()
        .loop(turn -> doNext(turn, may))
        .doneWhen(session -> true)
        .failurePause(Duration.ZERO)
        .lease(LEASE)
        .grace(GRACE);
  }

  /** The second task of each session has to wait for the test. */
  private static AgentResult doNext(Turn turn, Path may) throws Exception {
    Session session = turn.session();
    Task task = session.tasks().ready().get(0);
    while (task.number() == 2 && !Files.exists(may)) {
      Thread.sleep(20);
    }
    Files.writeString(turn.directory().resolve(task.content() + ".txt"), task.content() + "\n");
    session.tasks().complete(task.id());
    return AgentResult.success();
  }
}
