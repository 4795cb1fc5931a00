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
 * Each broken store is caught by the test that says what is wrong with it. That test alone runs:
 * which other ones notice too is a matter of time and chance.
 */
@Tag("broken")
class BrokenStoresTest {

  /** A store, the test that catches it, and for how long that waits for what must happen. */
  private record Broken(String store, String test, Opener opener, Duration patience) {}

  private static final Duration PATIENCE = Duration.ofSeconds(60);

  /** What does not come at all, not to be waited for longer than on purpose. */
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
        "Declaration.guaranteesWhatItsCommittedTableSays",
        wrapped(BrokenStores.ChangesItsLimits::new));
    caught(
        "a store that gets the next best frame",
        "Log.anIdThatNoFrameHasFindsNone",
        wrapped(BrokenStores.GetsTheNextBest::new));
    caught(
        "a store whose last frame ignores the filter",
        "Log.theLastFrameIsTheNewestThatTheFilterSelects",
        wrapped(BrokenStores.LastIgnoresTheFilter::new));
    caught(
        "a store that knows topics by their hash",
        "Log.topicsOfEqualHashAreTwo",
        wrapped(BrokenStores.KnowsTopicsByHash::new));
    caught(
        "a store that matches names that begin alike",
        "Read.aPrefixSelectsWhatIsBelowIt",
        wrapped(BrokenStores.MatchesNamesThatBeginAlike::new));
    caught(
        "a store that gives one more than the limit",
        "Read.aLimitCountsFramesReturned",
        wrapped(BrokenStores.GivesOneMoreThanTheLimit::new));
    caught(
        "a store that reads backward by blocks, each forward",
        "Read.everyStretchOfTheLogCanBeReadInBothDirections",
        wrapped(BrokenStores.ReadsBlocksForward::new));
    caught(
        "a store that ends cursors for good",
        "Read.aForwardCursorGoesOnWithWhatWasAppendedSince",
        wrapped(BrokenStores.EndsCursorsForGood::new));
    caught(
        "a store that splits batches",
        "Batch.readersAndFollowersNeverSeePartOfABatch",
        BrokenStores.SplitsBatches::new);
    caught(
        "a store that forgets batches",
        "Batch.aBatchIsFoundByItsId",
        wrapped(BrokenStores.ForgetsBatches::new));
    caught(
        "a store that ignores conditions",
        "Condition.aFrameThatCameSinceIsAConflictAndNothingIsWritten",
        wrapped(BrokenStores.IgnoresConditions::new));
    caught(
        "a store that checks conditions on the batch's own topics only",
        "Condition.aConditionMayBeOnTopicsThatTheBatchDoesNotTouch",
        wrapped(BrokenStores.ChecksItsOwnTopicsOnly::new));
    caught(
        "a store that decides before it locks",
        "Condition.ofThreadsThatRaceExactlyOneWinsEachRound",
        wrapped(BrokenStores.DecidesBeforeItLocks::new));
    caught(
        "a store that tells topics that were refused",
        "Condition.aTopicThatWasOnlyRefusedIsNone",
        wrapped(BrokenStores.TellsTopicsThatWereRefused::new));
    caught(
        "a store that loses the last frame on reopening",
        "Reopen.theSameFramesStandAtTheSamePositions",
        BrokenStores::losesTheLastFrame);
    caught(
        "a store whose ids step back with the clock",
        "Id.idsIncreaseWhileTheClockStepsBackAndForth",
        BrokenStores.StepsIdsBackWithTheClock::new);
    caught(
        "a store whose minting clock is moved by imports",
        "Import.importedIdsDoNotMoveTheMintingClock",
        BrokenStores.LetsImportsMoveTheClock::new);
    caught(
        "a store that keeps times in 32 bits",
        "Import.timesOfEveryAgeAreKeptToTheMillisecond",
        wrapped(BrokenStores.KeepsTimesIn32Bits::new));
    caught(
        "a store that takes its minting from the last record",
        "Import.mintingGoesOnWhereItStoppedThoughAnImportCameLast",
        BrokenStores::goesOnFromTheLastRecord);
    caught(
        "a store that cuts content at NUL",
        "Content.unusualContentIsKept",
        wrapped(BrokenStores.CutsAtNul::new));
    caught(
        "a store that loses halves of characters at odd places",
        "Content.unusualContentIsKept",
        wrapped(store -> new BrokenStores.LosesHalvesOfCharacters(store, 8_191)));
    caught(
        "a store that loses halves of characters at even places",
        "Content.unusualContentIsKept",
        wrapped(store -> new BrokenStores.LosesHalvesOfCharacters(store, 8_192)));
    caught(
        "a store that mixes up snapshots",
        "Snapshot.foldVersionAndFilterTellSnapshotsApart",
        wrapped(BrokenStores.MixesUpSnapshots::new));
    caught(
        "a store that gets the newest frames only",
        "Volume.whatStandsEarlyInALongLogIsFoundAndNoFollowerMissesAny",
        wrapped(BrokenStores.GetsTheNewestOnly::new));
    caughtByWaiting(
        "a store that drops frames for a very slow follower",
        "Volume.whatStandsEarlyInALongLogIsFoundAndNoFollowerMissesAny",
        wrapped(store -> new BrokenStores.DropsForTheSlow(store, 10_000)));
    caught(
        "a store that repeats a frame where history ends",
        "Follow.historyComesFirstThenWhatIsAppended",
        wrapped(BrokenStores.RepeatsWhereHistoryEnds::new));
    caughtByWaiting(
        "a store that drops frames for a slow follower",
        "Follow.aSlowFollowerLosesNothing",
        wrapped(store -> new BrokenStores.DropsForTheSlow(store, 5_000)));
    caught(
        "a store that repeats a frame at a roll",
        "Reopen.aFollowerGoesOnOverReopeningWhileDaysPass",
        wrapped(BrokenStores.RepeatsAtARoll::new));
    caught(
        "a store that waits again after unwanted frames",
        "Follow.unwantedFramesNeitherEndAWaitNorProlongIt",
        wrapped(BrokenStores.WaitsAgainAfterUnwantedFrames::new));
    caught(
        "a store that ends a wait for unwanted frames",
        "Follow.unwantedFramesNeitherEndAWaitNorProlongIt",
        wrapped(BrokenStores.ReturnsForUnwantedFrames::new));
    caught(
        "a store that wakes all followers",
        "Follow.wakeupWakesNoOtherFollower",
        wrapped(BrokenStores.WakesAll::new));
    caughtByWaiting(
        "a store that wakes followers for single frames only",
        "Follow.aWaitingFollowerIsWokenByABatchOfAnyKind",
        BrokenStores.WakesForSingleFrames::new);
    caughtByWaiting(
        "a store that lets followers wait when it is closed",
        "Close.closingTheStoreEndsTheWaitOfItsFollowers",
        BrokenStores.LetsThemWait::new);
    caught(
        "a store that acknowledges amid closing what it does not write",
        "Close.closingWhileInUseEndsEveryoneAndLosesNothing",
        wrapped(BrokenStores.AcknowledgesAmidClosing::new));
    caught(
        "a store that says CLOSED of what it wrote",
        "Close.closingWhileInUseEndsEveryoneAndLosesNothing",
        wrapped(BrokenStores.SaysClosedOfWhatItWrote::new));
    caughtByWaiting(
        "a store that leaves a thread behind",
        "Close.noThreadIsLeftAfterClose",
        wrapped(BrokenStores.LeavesAThread::new));
    caught(
        "a store that shares an interruptible channel",
        "Interrupt.anInterruptedThreadCanAppendAndRead",
        wrapped(BrokenStores.SharesAnInterruptibleChannel::new));
    caught(
        "a store that clears interrupts",
        "Interrupt.anInterruptedThreadCanAppendAndRead",
        wrapped(BrokenStores.ClearsInterrupts::new));
    caught(
        "a store that acknowledges what an interrupt cut",
        "Interrupt.anInterruptedThreadCanAppendAndRead",
        wrapped(BrokenStores.NeverSaysIndeterminate::new));
    caught(
        "a store that forgets topics of imported frames on reopening",
        "Model.randomProgramsAgreeWithAPlainList",
        wrapped(BrokenStores.ForgetsTopicsOfImports::new));
  }

  @Test
  void theStoreThatTheyAreMadeOfPassesAndNoTestIsLeftOut() {
    KitRun run = KitRun.on(wrapped(store -> store));
    assertThat(run.firstFailure()).as("by %s", run.failure()).isNull();
    assertThat(run.skipped()).isEmpty();
    assertThat(run.passed()).contains("Process.ofProcessesThatRaceExactlyOneWinsEachRound");
  }

  @TestFactory
  Stream<DynamicTest> brokenStoresAreCaughtByTheTestNamed() {
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
          .as("what failed, of the test alone, by\n%s", run.failure())
          .isEqualTo(broken.test());
    } finally {
      System.clearProperty(TimeLimit.PATIENCE_PROPERTY);
    }
  }
}
