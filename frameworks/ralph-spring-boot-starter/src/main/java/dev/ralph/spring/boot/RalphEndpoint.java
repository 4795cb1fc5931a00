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

/** What the application's loops do; of a session, how far it is. */
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
    Map<String, Object> shown = new LinkedHashMap<>();
    shown.put("running", loops.running().contains(name));
    shown.put("tasks", session.tasks().list().size());
    shown.put("open", session.tasks().list().open().size());
    shown.put("questions", session.questions().open().size());
    shown.put("iterations", session.iterations().last().map(Iteration::number).orElse(0));
    shown.put("tokens", session.iterations().usage().totalTokens());
    return shown;
  }
}
