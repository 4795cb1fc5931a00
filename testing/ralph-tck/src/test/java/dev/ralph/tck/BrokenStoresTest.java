package dev.ralph.tck;

import static dev.ralph.tck.BrokenStores.wrapped;
import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.DynamicTest.dynamicTest;

import dev.ralph.tck.BrokenStores.Opener;
import dev.ralph.tck.internal.TimeLimit;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.DynamicTest;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestFactory;

/**
 * Tests that the TCK detects each broken store. Only the test that should detect the defect runs,
 * because other tests may detect it by chance.
 */
@Tag("broken")
class BrokenStoresTest {

  /** A broken store, the test that detects it, and the patience of that test. */
  private record Broken(String store, String test, Opener opener, Duration patience) {}

  private static final Duration PATIENCE = Duration.ofSeconds(60);

  /** The patience for events that never happen. */
  private static final Duration BRIEF = Duration.ofSeconds(2);

  private static final List<Broken> STORES = new ArrayList<>();

  private static void caught(String store, String test, Opener opener) {
    STORES.add(new Broken(store, test, opener, PATIENCE));
  }

  private static void caughtByWaiting(String store, String test, Opener opener) {
    STORES.add(new Broken(store, test, opener, BRIEF));
  }

  static {
    caught(
        "a store that changes its limits",
        "Declaration.guarantees_equalTheCommittedTable",
        wrapped(BrokenStores.ChangesItsLimits::new));
    caught(
        "a store that gets the next best frame",
        "Log.unknownId_findsNoFrame",
        wrapped(BrokenStores.GetsTheNextBest::new));
    caught(
        "a store whose last frame ignores the filter",
        "Log.last_returnsNewestSelectedFrame",
        wrapped(BrokenStores.LastIgnoresTheFilter::new));
    caught(
        "a store that knows topics by their hash",
        "Log.topicsOfEqualHash_areDistinct",
        wrapped(BrokenStores.KnowsTopicsByHash::new));
    caught(
        "a store that matches names that begin alike",
        "Read.prefixFilter_selectsTopicsBelow",
        wrapped(BrokenStores.MatchesNamesThatBeginAlike::new));
    caught(
        "a store that gives one more than the limit",
        "Read.limit_countsReturnedFrames",
        wrapped(BrokenStores.GivesOneMoreThanTheLimit::new));
    caught(
        "a store that reads backward by blocks, each forward",
        "Read.anyRange_isReadInBothDirections",
        wrapped(BrokenStores.ReadsBlocksForward::new));
    caught(
        "a store that ends cursors for good",
        "Read.forwardCursor_continuesWithNewFrames",
        wrapped(BrokenStores.EndsCursorsForGood::new));
    caught(
        "a store that splits batches",
        "Batch.readersAndFollowers_seeWholeBatches",
        BrokenStores.SplitsBatches::new);
    caught(
        "a store that forgets batches",
        "Batch.batch_isFoundById",
        wrapped(BrokenStores.ForgetsBatches::new));
    caught(
        "a store that ignores conditions",
        "Condition.newerFrame_isAConflict",
        wrapped(BrokenStores.IgnoresConditions::new));
    caught(
        "a store that checks conditions on the batch's own topics only",
        "Condition.condition_mayBeOnOtherTopics",
        wrapped(BrokenStores.ChecksItsOwnTopicsOnly::new));
    caught(
        "a store that decides before it locks",
        "Condition.racingThreads_haveOneWinnerPerRound",
        wrapped(BrokenStores.DecidesBeforeItLocks::new));
    caught(
        "a store that tells topics that were refused",
        "Condition.topicOfRejectedBatch_isNotListed",
        wrapped(BrokenStores.TellsTopicsThatWereRefused::new));
    caught(
        "a store that loses the last frame on reopening",
        "Reopen.reopenedStore_hasSameFramesAndPositions",
        BrokenStores::losesTheLastFrame);
    caught(
        "a store whose ids step back with the clock",
        "Id.steppedClock_idsIncrease",
        BrokenStores.StepsIdsBackWithTheClock::new);
    caught(
        "a store whose minting clock is moved by imports",
        "Import.importedIds_doNotAffectMinting",
        BrokenStores.LetsImportsMoveTheClock::new);
    caught(
        "a store that keeps times in 32 bits",
        "Import.importedTimes_areKeptToTheMillisecond",
        wrapped(BrokenStores.KeepsTimesIn32Bits::new));
    caught(
        "a store that takes its minting from the last record",
        "Import.importAtTheEnd_mintingContinues",
        BrokenStores::goesOnFromTheLastRecord);
    caught(
        "a store that cuts content at NUL",
        "Content.unusualContent_isKept",
        wrapped(BrokenStores.CutsAtNul::new));
    caught(
        "a store that loses halves of characters at odd places",
        "Content.unusualContent_isKept",
        wrapped(store -> new BrokenStores.LosesHalvesOfCharacters(store, 8_191)));
    caught(
        "a store that loses halves of characters at even places",
        "Content.unusualContent_isKept",
        wrapped(store -> new BrokenStores.LosesHalvesOfCharacters(store, 8_192)));
    caught(
        "a store that mixes up snapshots",
        "Snapshot.foldVersionAndFilter_distinguishSnapshots",
        wrapped(BrokenStores.MixesUpSnapshots::new));
    caught(
        "a store that gets the newest frames only",
        "Volume.longLog_losesNoFrame",
        wrapped(BrokenStores.GetsTheNewestOnly::new));
    caughtByWaiting(
        "a store that drops frames for a very slow follower",
        "Volume.longLog_losesNoFrame",
        wrapped(store -> new BrokenStores.DropsForTheSlow(store, 10_000)));
    caught(
        "a store that repeats a frame where history ends",
        "Follow.follower_getsHistoryThenNewFrames",
        wrapped(BrokenStores.RepeatsWhereHistoryEnds::new));
    caughtByWaiting(
        "a store that drops frames for a slow follower",
        "Follow.slowFollower_losesNothing",
        wrapped(store -> new BrokenStores.DropsForTheSlow(store, 5_000)));
    caught(
        "a store that repeats a frame at a roll",
        "Reopen.follower_continuesAfterReopeningOverDays",
        wrapped(BrokenStores.RepeatsAtARoll::new));
    caught(
        "a store that waits again after unwanted frames",
        "Follow.rejectedFrames_doNotAffectTheTimeout",
        wrapped(BrokenStores.WaitsAgainAfterUnwantedFrames::new));
    caught(
        "a store that ends a wait for unwanted frames",
        "Follow.rejectedFrames_doNotAffectTheTimeout",
        wrapped(BrokenStores.ReturnsForUnwantedFrames::new));
    caught(
        "a store that wakes all followers",
        "Follow.wakeup_affectsNoOtherFollower",
        wrapped(BrokenStores.WakesAll::new));
    caughtByWaiting(
        "a store that wakes followers for single frames only",
        "Follow.waitingFollower_isWokenByAnyBatch",
        BrokenStores.WakesForSingleFrames::new);
    caughtByWaiting(
        "a store that lets followers wait when it is closed",
        "Close.closedStore_endsPollsOfFollowers",
        BrokenStores.LetsThemWait::new);
    caught(
        "a store that acknowledges amid closing what it does not write",
        "Close.closeDuringUse_losesNothing",
        wrapped(BrokenStores.AcknowledgesAmidClosing::new));
    caught(
        "a store that says CLOSED of what it wrote",
        "Close.closeDuringUse_losesNothing",
        wrapped(BrokenStores.SaysClosedOfWhatItWrote::new));
    caughtByWaiting(
        "a store that leaves a thread behind",
        "Close.close_leavesNoThread",
        wrapped(BrokenStores.LeavesAThread::new));
    caught(
        "a store that shares an interruptible channel",
        "Interrupt.interruptedThread_canAppendAndRead",
        wrapped(BrokenStores.SharesAnInterruptibleChannel::new));
    caught(
        "a store that clears interrupts",
        "Interrupt.interruptedThread_canAppendAndRead",
        wrapped(BrokenStores.ClearsInterrupts::new));
    caught(
        "a store that acknowledges what an interrupt cut",
        "Interrupt.interruptedThread_canAppendAndRead",
        wrapped(BrokenStores.NeverSaysIndeterminate::new));
    caught(
        "a store that forgets topics of imported frames on reopening",
        "Model.randomPrograms_matchAPlainList",
        wrapped(BrokenStores.ForgetsTopicsOfImports::new));
  }

  @Test
  void soundStore_passesAllTests() {
    KitRun run = KitRun.on(wrapped(store -> store));
    assertThat(run.firstFailure()).as("failed with %s", run.failure()).isNull();
    assertThat(run.skipped()).isEmpty();
    assertThat(run.passed()).contains("Process.racingProcesses_haveOneWinnerPerRound");
  }

  @TestFactory
  Stream<DynamicTest> brokenStores_failTheNamedTest() {
    return STORES.stream()
        .map(
            broken ->
                dynamicTest(
                    broken.store() + " is caught by " + broken.test(), () -> assertCaught(broken)));
  }

  private static void assertCaught(Broken broken) {
    System.setProperty(TimeLimit.PATIENCE_PROPERTY, "" + broken.patience().toSeconds());
    try {
      KitRun run = KitRun.of(KitRun.WholeKit.class, broken.test(), KitRun.fixture(broken.opener()));
      assertThat(run.firstFailure())
          .as("failed test, run alone, with\n%s", run.failure())
          .isEqualTo(broken.test());
    } finally {
      System.clearProperty(TimeLimit.PATIENCE_PROPERTY);
    }
  }
}
