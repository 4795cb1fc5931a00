package dev.ralph.spring.boot;

import dev.ralph.Iteration;
import dev.ralph.Ralph;
import dev.ralph.Session;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.SortedSet;
import org.jspecify.annotations.Nullable;
import org.springframework.boot.actuate.endpoint.annotation.Endpoint;
import org.springframework.boot.actuate.endpoint.annotation.ReadOperation;
import org.springframework.boot.actuate.endpoint.annotation.Selector;

/** The actuator endpoint {@code ralph}: running loops, and the progress of a session. */
@Endpoint(id = "ralph")
final class RalphEndpoint {

  private final Ralph ralph;
  private final RalphLoops loops;

  RalphEndpoint(Ralph ralph, RalphLoops loops) {
    this.ralph = ralph;
    this.loops = loops;
  }

  @ReadOperation
  Map<String, SortedSet<String>> loops() {
    return Map.of("running", loops.running());
  }

  @ReadOperation
  @Nullable Map<String, Object> session(@Selector String name) {
    if (!ralph.hasSession(name)) {
      return null;
    }
    Session session = ralph.session(name);
    Map<String, Object> progress = new LinkedHashMap<>();
    progress.put("running", loops.running().contains(name));
    progress.put("tasks", session.tasks().list().size());
    progress.put("open", session.tasks().list().open().size());
    progress.put("questions", session.questions().open().size());
    progress.put("iterations", session.iterations().last().map(Iteration::number).orElse(0));
    progress.put("tokens", session.iterations().usage().totalTokens());
    return progress;
  }
}
