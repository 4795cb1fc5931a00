package dev.ralph.tck;

import static dev.ralph.tck.StoreConformance.TOPIC;
import static dev.ralph.tck.StoreConformance.append;
import static dev.ralph.tck.StoreConformance.assertFails;
import static dev.ralph.tck.StoreConformance.ids;
import static dev.ralph.tck.StoreConformance.readAll;
import static org.assertj.core.api.Assertions.assertThat;

import dev.ralph.log.Frame;
import dev.ralph.log.RalphException;
import dev.ralph.log.RalphException.Code;
import dev.ralph.log.StoreInfo.Capability;
import dev.ralph.log.TopicFilter;
import dev.ralph.spi.FrameStore;
import dev.ralph.spi.StoreConfig;
import java.io.IOException;
import java.nio.file.Path;
import java.util.List;
import java.util.Set;

/** Checks the behaviour of a store without a capability: the store rejects its use without harm. */
final class MissingCapability {

  private static final Set<Code> REFUSALS = Set.of(Code.LOCKED, Code.UNSUPPORTED);

  private final StoreConformance suite;

  MissingCapability(StoreConformance suite) {
    this.suite = suite;
  }

  /**
   * Checks the store's behaviour without a capability.
   *
   * @return the result as text
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
        case ERASES:
          return checkKept();
        case COMPACTS:
          return checkUncompacted();
        default:
          throw new AssertionError("no test may be skipped without " + capability);
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
    assertThat(readAll(again)).as("frames after the reopening").isEmpty();
    assertThat(again.get(frame.id())).isEmpty();
    assertThat(again.topics(TopicFilter.all())).isEmpty();
    return "opened again it is new and empty, and a store that must exist is not found";
  }

  private String checkKept() {
    FrameStore store = suite.open();
    Frame frame = append(store, TOPIC, "kept");
    assertFails(Code.UNSUPPORTED, () -> store.erase(List.of(frame.id())));
    assertThat(StoreConformance.contents(readAll(store))).containsExactly("kept");
    return "erasing fails with UNSUPPORTED, and nothing is changed";
  }

  private String checkUncompacted() {
    FrameStore store = suite.open();
    append(store, TOPIC, "kept");
    assertFails(Code.UNSUPPORTED, store::compact);
    assertThat(StoreConformance.contents(readAll(store))).containsExactly("kept");
    return "compacting fails with UNSUPPORTED, and nothing is changed";
  }

  /** Checks that a second process cannot open a persistent single-process store. */
  private String checkRefused() throws IOException, InterruptedException {
    FrameStore store = suite.open();
    Frame frame = append(store, TOPIC, "held");
    try (ClassesApart classes = new ClassesApart(suite.fixture())) {
      for (StoreConfig spelling : spellings(suite.config())) {
        try {
          suite.open(spelling);
          throw new AssertionError(
              "a store for one process was opened twice in one: " + StoreChild.argument(spelling));
        } catch (RalphException refused) {
          assertThat(refused.code()).as("code of: %s", refused).isIn(REFUSALS);
        }
        assertRefusal("another class loader of this process", classes.use(spelling).get(0));
      }
      assertRefusal("another process", suite.startChild(0).opening());
      assertThat(ids(readAll(store))).containsExactly(frame.id());
      store.close();
      assertThat(classes.use(suite.config()).get(0))
          .as("answer to a rejected class loader after the store is closed")
          .startsWith("done ");
      assertThat(suite.startChild(0).opening())
          .as("answer to another process after the store is closed")
          .startsWith("done ");
    }
    return "a second opening while it is open is refused";
  }

  /** Returns the place in all its spellings; a folder has two. */
  private static List<StoreConfig> spellings(StoreConfig place) {
    Path directory = place.directory();
    return directory == null
        ? List.of(place)
        : List.of(place, StoreConfig.in(directory.resolve("..").resolve(directory.getFileName())));
  }

  private static void assertRefusal(String who, String answer) {
    assertThat(answer).as("answer to %s", who).startsWith("failed ");
    String code = answer.split(" ", 3)[1];
    assertThat(REFUSALS).extracting(Code::name).as("permitted codes of: %s", answer).contains(code);
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
    return "each opening has a store of its own";
  }
}
