package dev.ralph.tck;

import static dev.ralph.tck.StoreConformance.TOPIC;
import static dev.ralph.tck.StoreConformance.append;
import static dev.ralph.tck.StoreConformance.assertFails;
import static dev.ralph.tck.StoreConformance.ids;
import static dev.ralph.tck.StoreConformance.readAll;
import static org.assertj.core.api.Assertions.assertThat;

import dev.ralph.Frame;
import dev.ralph.RalphException;
import dev.ralph.RalphException.Code;
import dev.ralph.StoreInfo.Capability;
import dev.ralph.TopicFilter;
import dev.ralph.spi.FrameStore;
import java.io.IOException;
import java.util.Set;

/** What must hold of a store that does not declare a capability: it lacks it openly, and safely. */
final class Absence {

  private static final Set<Code> REFUSALS = Set.of(Code.LOCKED, Code.UNSUPPORTED);

  private final StoreConformance suite;

  Absence(StoreConformance suite) {
    this.suite = suite;
  }

  /**
   * Holds the store to not having that.
   *
   * @return what was seen, in words
   */
  String check(Capability capability) {
    try {
      switch (capability) {
        case PERSISTENT:
          return checkForgetful();
        case MULTI_PROCESS:
          return suite.fixture().capabilities().contains(Capability.PERSISTENT)
              ? checkRefused()
              : checkApart();
        default:
          throw new AssertionError("no test may be left out for want of " + capability);
      }
    } catch (IOException | InterruptedException e) {
      throw new AssertionError(e);
    }
  }

  private String checkForgetful() {
    FrameStore store = suite.open();
    Frame frame = append(store, TOPIC, "forgotten");
    String storeId = store.info().storeId();
    store.close();
    assertFails(Code.NOT_FOUND, () -> suite.open(suite.config().existing()));
    FrameStore again = suite.open();
    assertThat(again.info().storeId()).isNotEqualTo(storeId);
    assertThat(readAll(again)).as("frames of a store that was closed").isEmpty();
    assertThat(again.get(frame.id())).isEmpty();
    assertThat(again.topics(TopicFilter.all())).isEmpty();
    return "opened again it is new and empty, and a store that must exist is not found";
  }

  /** Two who write what outlives them must not do so at once. */
  private String checkRefused() throws IOException, InterruptedException {
    FrameStore store = suite.open();
    Frame frame = append(store, TOPIC, "held");
    try {
      suite.open();
      throw new AssertionError("a store for one process was opened twice in one");
    } catch (RalphException refused) {
      assertThat(refused.code()).as("code of: %s", refused).isIn(REFUSALS);
    }
    String answer = suite.startChild(0).opening();
    assertThat(answer).as("what another process says that opens the store").startsWith("failed ");
    assertThat(Code.valueOf(answer.split(" ", 3)[1])).as(answer).isIn(REFUSALS);
    assertThat(ids(readAll(store))).containsExactly(frame.id());
    return "whoever opens it while it is open is refused";
  }

  private String checkApart() throws IOException, InterruptedException {
    FrameStore store = suite.open();
    Frame frame = append(store, TOPIC, "own");
    ChildProcess child = suite.startChild(0);
    String answer = child.opening();
    assertThat(answer).startsWith("done ").isNotEqualTo("done " + store.info().storeId());
    child.send("append " + TOPIC + " 1 1 10");
    child.done();
    FrameStore second = suite.open();
    assertThat(second.info().storeId()).isNotEqualTo(store.info().storeId());
    append(second, TOPIC, "another's");
    assertThat(ids(readAll(store))).containsExactly(frame.id());
    return "whoever opens it has a store apart";
  }
}
