package dev.ralph.core;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.ralph.AgentResult;
import dev.ralph.Gate;
import dev.ralph.Ralph;
import dev.ralph.Redactor;
import dev.ralph.Session;
import dev.ralph.log.Frame;
import dev.ralph.log.FrameCursor;
import dev.ralph.log.Query;
import dev.ralph.log.TopicFilter;
import org.junit.jupiter.api.Test;

/** What agents say is kept without secrets. */
class RedactionTest {

  private static final String KEY = "sk-" + "proj-aB3dE5fG7hI9jK1lM3nO5pQ7";
  private static final String PEM = "-----BEGIN " + "PRIVATE KEY-----\nMIIEowIBAAK\nmore\n";

  private static String log(Ralph ralph) {
    StringBuilder all = new StringBuilder();
    try (FrameCursor cursor = ralph.log().read(Query.of(TopicFilter.all()))) {
      for (Frame frame = cursor.next(); frame != null; frame = cursor.next()) {
        all.append(frame.topic()).append(' ').append(frame.meta()).append(frame.content());
        all.append('\n');
      }
    }
    return all.toString();
  }

  private static void runAgent(Session session) {
    session.tasks().add("a person may write " + KEY);
    session.tasks().complete("t1");
    session
        .loop(
            turn -> {
              turn.output("my key is " + KEY);
              for (String line : (PEM + "-----END PRIVATE KEY-----").split("\n")) {
                turn.output(line);
              }
              turn.output("x".repeat(9_000));
              turn.output("and done");
              turn.session().notes().add("tip", "use " + KEY);
              turn.session().control().complete();
              return AgentResult.success().summary("I used " + KEY);
            })
        .gate(Gate.of("sh", "-c", "echo found " + KEY + "; exit 1"))
        .maxIterations(1)
        .run();
  }

  @Test
  void outputNotesSummariesAndGatesAreKeptWithoutSecrets() {
    try (Ralph ralph = Ralph.inMemory()) {
      Session session = ralph.session("auth");
      runAgent(session);
      String log = log(ralph);
      assertThat(log).doesNotContain("MIIEow").contains("my key is [redacted: API key]");
      assertThat(log).contains("[redacted: private key]").contains("and done");
      assertThat(log).contains("found [redacted: API key]");
      assertThat(session.notes().list().get(0).content()).isEqualTo("use [redacted: API key]");
      assertThat(session.iterations().last().orElseThrow().summary())
          .isEqualTo("I used [redacted: API key]");
      assertThat(session.tasks().get("t1").content()).contains(KEY);
      assertThat(log.replace("a person may write " + KEY, "").replace("echo found " + KEY, ""))
          .doesNotContain(KEY);
    }
  }

  @Test
  void aHostMaySwitchItOffOrBringItsOwn() {
    try (Ralph ralph = Ralph.builder().store("memory").redactor(Redactor.none()).open()) {
      runAgent(ralph.session("auth"));
      assertThat(log(ralph)).contains("my key is " + KEY, "MIIEow", "use " + KEY);
    }
    Redactor own = text -> text.replace("key", "[redacted: own]");
    try (Ralph ralph = Ralph.builder().store("memory").redactor(own).open()) {
      runAgent(ralph.session("auth"));
      assertThat(log(ralph)).contains("my [redacted: own] is ");
    }
  }

  @Test
  void aRedactorThatFailsLetsNothingThrough() {
    Redactor broken =
        text -> {
          throw new IllegalStateException("broken");
        };
    try (Ralph ralph = Ralph.builder().store("memory").redactor(broken).open()) {
      Session session = ralph.session("auth");
      assertThatThrownBy(() -> session.notes().add("tip", KEY))
          .isInstanceOf(IllegalStateException.class);
      session
          .loop(
              turn -> {
                turn.output(KEY);
                return AgentResult.success().summary(KEY);
              })
          .maxIterations(1)
          .run();
      assertThat(log(ralph)).doesNotContain(KEY).contains("the redactor failed");
    }
  }
}
