package dev.ralph.core.internal.control;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.ralph.Control;
import dev.ralph.core.internal.message.MessageFold;
import dev.ralph.core.internal.message.Messages;
import dev.ralph.core.internal.task.TaskFold;
import dev.ralph.core.internal.task.Tasks;
import dev.ralph.core.internal.view.Replay;
import dev.ralph.domain.ProcessIdentity;
import dev.ralph.domain.TextSource;
import dev.ralph.log.Decision;
import dev.ralph.log.Meta;
import dev.ralph.log.RalphException;
import dev.ralph.log.RalphException.Code;
import dev.ralph.log.Topic;
import java.io.BufferedReader;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.ZoneId;
import java.time.format.DateTimeFormatter;
import java.util.List;
import java.util.Optional;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.condition.EnabledOnOs;
import org.junit.jupiter.api.condition.OS;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** The rules of run control, as pure functions without a store. */
class ControlRulesTest {

  private static final ProcessIdentity PROCESS = new ProcessIdentity("there", 42, 1000);

  private final ControlDecider decider = new ControlDecider(Topic.of("ralph.test.control"));
  private static final TextSource TEXTS = new TextSource(id -> Optional.empty());

  private final Replay<?, ControlState> log = Replay.of(new ControlFold());
  private final Replay<?, Tasks> tasks = Replay.of(new TaskFold(TEXTS));
  private final Replay<?, Messages> messages = Replay.of(new MessageFold(TEXTS));

  private boolean startLoop() {
    return startLoop("one", true);
  }

  private boolean startLoop(String token, boolean otherLives) {
    return log.append(
        decider.startLoop(log.state(), PROCESS, token, 1, 0, 1, null, run -> otherLives));
  }

  private List<String> outstanding() {
    return CompletionBlockers.reasons(tasks.state(), messages.state(), Replay.NOW);
  }

  private boolean claim() {
    return log.append(decider.claimCompletion(log.state(), outstanding()));
  }

  private boolean grant() {
    return log.append(decider.grantCompletion(log.state(), outstanding()));
  }

  // ---- completion

  @Test
  void openTasks_blockCompletionAndNameTenAtMost() {
    for (int i = 1; i <= 12; i++) {
      tasks.frame("{'action':'add'}", "task no. " + i);
    }
    tasks.frame("{'action':'add','status':'completed'}", "done");
    tasks.frame("{'action':'add','status':'cancelled'}", "given up");
    assertThatThrownBy(this::claim)
        .isInstanceOfSatisfying(
            RalphException.class, e -> assertThat(e.code()).isEqualTo(Code.INVALID))
        .hasMessageContaining("12 tasks")
        .hasMessageContaining("t1 task no. 1, t2 task no. 2")
        .hasMessageContaining("t10 task no. 10, …")
        .hasMessageNotContaining("t11")
        .hasMessageNotContaining("done");
  }

  @Test
  void claimBeforeRun_isKeptUntilGranted() {
    claim();
    assertThat(claim()).as("claimed already").isFalse();
    startLoop();
    assertThat(log.state().claimed()).isTrue();
    assertThat(grant()).isTrue();
    assertThat(log.state().claimed()).isFalse();
    assertThat(log.state().completed()).isTrue();
  }

  @Test
  void claim_endsWithItsRun() {
    startLoop();
    claim();
    log.append(decider.endLoop(log.state(), "one", "interrupted", null));
    assertThat(log.state().claimed()).isFalse();
    assertThat(claim()).as("claimed again").isTrue();
  }

  @Test
  void claim_endsWithTheKilledRun() {
    startLoop("one", true);
    claim();
    startLoop("two", false);
    assertThat(log.state().claimed()).isFalse();
  }

  @Test
  void grantedCompletion_canBeClaimedAgain() {
    claim();
    grant();

    assertThat(claim()).isTrue();

    assertThat(log.state().claimed()).isTrue();
    assertThat(log.state().completed()).as("stays completed").isTrue();
    assertThat(grant()).isTrue();
  }

  @Test
  void withoutClaim_nothingIsGrantedOrRefused() {
    assertThat(grant()).isFalse();
    assertThat(decider.refuseCompletion(log.state(), List.of("x")).drafts()).isEmpty();
  }

  @Test
  void taskAddedAfterClaim_blocksTheGrant() {
    claim();
    tasks.frame("{'action':'add'}", "more");
    assertThat(grant()).isFalse();
    assertThat(log.state().claimed()).isTrue();
  }

  @Test
  void unreadMessages_blockCompletionAndAreNamed() {
    String first = messages.frame("{'status':'unread','n':1}", "Do the API first\nand soon");
    String later = messages.frame("{'status':'unread','n':2,'follow_up':true}", "Then the logs");
    assertThatThrownBy(this::claim)
        .isInstanceOfSatisfying(
            RalphException.class, e -> assertThat(e.code()).isEqualTo(Code.INVALID))
        .hasMessage(
            "the session is not complete: 2 messages are not read yet: m1 Do the API first …, m2"
                + " Then the logs; process the messages and mark them as read first, or end"
                + " your work and leave them to the next iteration");
    messages.frame("{'action':'mark_read','id':'" + first + "'}", "");
    assertThatThrownBy(this::claim).hasMessageContaining("1 message is not read yet: m2 Then");
    messages.frame("{'action':'mark_read','id':'" + later + "'}", "");
    assertThat(claim()).isTrue();
  }

  @Test
  void deliveredMessage_blocksCompletionUntilAcknowledged() {
    String id = messages.frame("{'status':'unread','n':1}", "Do the API first");
    messages.frame(
        "{'action':'deliver','ids':['"
            + id
            + "'],'to':'a','call':'1','until':'2030-01-01T00:00:00Z'}",
        "");
    assertThatThrownBy(this::claim).hasMessageContaining("m1 Do the API first");
  }

  @Test
  void messageSentAfterClaim_blocksTheGrant() {
    claim();
    messages.frame("{'status':'unread','n':1}", "wait");
    assertThat(grant()).isFalse();
    assertThat(log.state().claimed()).isTrue();
  }

  @Test
  void refusal_keepsItsReasonsUntilTheNextClaim() {
    claim();
    log.append(decider.refuseCompletion(log.state(), List.of("tests failed", "lint")));
    assertThat(log.state().claimed()).isFalse();
    assertThat(log.state().refusals()).containsExactly("tests failed", "lint");
    claim();
    assertThat(log.state().refusals()).isEmpty();
  }

  @Test
  void newLoop_reopensACompletedSession() {
    claim();
    grant();
    startLoop();
    assertThat(log.state().completed()).isFalse();
  }

  // ---- pause and stop

  @Test
  void pause_persistsAcrossLoops() {
    assertThat(log.append(decider.pause(log.state()))).isTrue();
    assertThat(log.append(decider.pause(log.state()))).isFalse();
    startLoop();
    assertThat(log.state().paused()).isTrue();
    assertThat(log.append(decider.resume(log.state()))).isTrue();
    assertThat(log.append(decider.resume(log.state()))).isFalse();
    assertThat(log.state().paused()).isFalse();
  }

  @Test
  void stop_appliesOnlyToTheRunningLoop() {
    startLoop();
    log.append(decider.stop(log.state(), "enough"));
    assertThat(log.state().stop()).isEqualTo(new ControlState.Stop("enough"));
    assertThat(decider.stop(log.state(), "really").drafts()).isEmpty();
    startLoop("two", false);
    assertThat(log.state().stop()).isNull();
    log.append(decider.stop(log.state(), null));
    assertThat(log.state().stop()).isEqualTo(new ControlState.Stop(null));
  }

  // ---- one loop at a time

  @Test
  void liveLoop_rejectsASecondLoop() {
    startLoop();
    assertThatThrownBy(() -> startLoop("two", true))
        .isInstanceOfSatisfying(
            RalphException.class, e -> assertThat(e.code()).isEqualTo(Code.CONTENDED))
        .hasMessageContaining("process 42 on there");
  }

  @Test
  void newLoop_takesOverFromADeadLoop() {
    startLoop("dead", true);
    startLoop("next", false);
    assertThat(log.append(decider.endLoop(log.state(), "dead", "late", null))).isFalse();
    assertThat(log.append(decider.endLoop(log.state(), "next", "completed", null))).isTrue();
    assertThat(log.state().run()).isNull();
    startLoop();
  }

  @Test
  void takeover_continuesTheRunOfTheDeadLoop() {
    log.append(decider.startLoop(log.state(), PROCESS, "dead", 3, 0, 1, null, run -> true));
    log.append(decider.startLoop(log.state(), PROCESS, "next", 5, 0, 1, null, run -> false));
    assertThat(log.state().run())
        .extracting(ControlState.Run::first, ControlState.Run::from)
        .containsExactly(3, 5);
    log.append(decider.endLoop(log.state(), "next", "completed", null));
    log.append(decider.startLoop(log.state(), PROCESS, "third", 7, 0, 1, null, run -> false));
    assertThat(log.state().run()).extracting(ControlState.Run::first).isEqualTo(7);
  }

  @Test
  void repeatedStart_isRecordedOnce() {
    assertThat(startLoop("one", true)).isTrue();
    assertThat(startLoop("one", true)).isFalse();
  }

  @Test
  void localLoop_livesWhileItsTokenIsHeld() {
    RunToken token = RunToken.take();
    ControlState.Run run =
        new ControlState.Run(
            token.text(),
            ProcessIdentity.current(),
            1,
            1,
            0,
            1,
            0,
            Replay.NOW,
            ControlState.Raised.NONE);
    assertThat(run.isLive(Replay.NOW)).isTrue();
    token.release();
    assertThat(run.isLive(Replay.NOW)).isFalse();
    assertThat(
            new ControlState.Run(
                    null,
                    ProcessIdentity.current(),
                    1,
                    1,
                    0,
                    1,
                    0,
                    Replay.NOW,
                    ControlState.Raised.NONE)
                .isLive(Replay.NOW))
        .as("without a token")
        .isTrue();
    assertThat(
            new ControlState.Run("x", PROCESS, 1, 1, 0, 1, 0, Replay.NOW, ControlState.Raised.NONE)
                .isLive(Replay.NOW))
        .as("on another machine")
        .isTrue();
  }

  @Test
  void loopOnRemoteHost_isEndedAsGone() {
    startLoop();
    assertThatThrownBy(() -> startLoop("two", true)).hasMessageContaining("ralph stop --gone");

    assertThat(log.append(decider.loopIsGone(log.state(), run -> true))).isTrue();
    assertThat(log.state().run()).isNull();

    log.append(
        decider.startLoop(
            log.state(), ProcessIdentity.current(), "one", 1, 0, 1, null, run -> true));
    assertThatThrownBy(() -> decider.loopIsGone(log.state(), run -> true))
        .hasMessageContaining("it runs in process " + ProcessHandle.current().pid());
  }

  @Test
  void loopOnRemoteHost_livesUntilItsLeaseEnds() {
    log.frame("{'action':'loop_start','run':'one','host':'there','pid':42,'lease':60000}", "");
    log.encodeAndDecode();
    ControlState.Run run = log.state().run();
    assertThat(run.isLive(Replay.NOW.plusMillis(59_999))).isTrue();
    assertThat(run.isLive(Replay.NOW.plusMillis(60_000))).isFalse();
    assertThat(log.state().seen("one", Replay.NOW.plusMillis(1)).run())
        .extracting(ControlState.Run::until)
        .isEqualTo(Replay.NOW.plusMillis(60_001));
    assertThat(log.state().seen("another", Replay.NOW.plusMillis(1)).run()).isEqualTo(run);
    assertThatThrownBy(() -> startLoop("two", true))
        .hasMessageContaining(
            "The lease of that loop ends at "
                + DateTimeFormatter.ofPattern("HH:mm:ss")
                    .format(Replay.NOW.plusSeconds(60).atZone(ZoneId.systemDefault()))
                + " if not renewed");
  }

  @Test
  void loopOfThisHost_ignoresItsLease() {
    RunToken token = RunToken.take();
    ControlState.Run run =
        new ControlState.Run(
            token.text(),
            ProcessIdentity.current(),
            1,
            1,
            0,
            1,
            1,
            Replay.NOW,
            ControlState.Raised.NONE);
    assertThat(run.isLive(Replay.NOW.plusSeconds(60))).isTrue();
    token.release();
    assertThat(run.isLive(Replay.NOW)).isFalse();
    assertThat(run.until()).isNull();
  }

  @Test
  void heartbeat_isAcceptedFromPresentLoopOnly() {
    assertThat(log.append(decider.alive(log.state(), "one"))).isFalse();
    startLoop();
    assertThat(log.append(decider.alive(log.state(), "one"))).isTrue();
    startLoop("two", false);
    assertThat(log.append(decider.alive(log.state(), "one"))).isFalse();
  }

  @Test
  void loopStart_recordsTheProcessIdentity() {
    ProcessIdentity process = new ProcessIdentity("there", 42, 1000, "b", 7, "pid:[1]");
    Decision<ControlState, Boolean> start =
        decider.startLoop(log.state(), process, "one", 3, 5, 1, null, run -> true);
    assertThat(start.drafts())
        .extracting(draft -> draft.meta().json())
        .containsExactly(
            "{\"action\":\"loop_start\",\"run\":\"one\",\"first\":3,\"from\":3,\"limit\":5,"
                + "\"host\":\"there\",\"pid\":42,\"started\":1000,\"boot\":\"b\",\"ticks\":7,\"pid_ns\":\"pid:[1]\"}");
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "{}",
        "{'action':'dance'}",
        "{'action':['stop']}",
        "{'action':'loop_start'}",
        "{'action':'loop_start','host':'x','pid':'y'}",
        "{'action':'loop_start','host':'x','pid':0}",
        "{'action':'loop_end'}"
      })
  void invalidFrame_changesNothing(String meta) {
    log.frame(meta, "");
    assertThat(log.state()).isEqualTo(ControlState.NONE);
  }

  @Test
  void encodedState_isDecodedUnchanged() {
    claim();
    log.append(decider.refuseCompletion(log.state(), List.of("x", "y")));
    startLoop();
    log.append(decider.stop(log.state(), null));
    log.append(decider.pause(log.state()));
    log.frame(
        "{'action':'loop_start','run':'r','host':'h','pid':1,'boot':'b','ticks':9,'pid_ns':'x','first':2,'from':3,'limit':4}",
        "");
    ControlState before = log.state();
    log.encodeAndDecode();
    assertThat(log.state()).isEqualTo(before);
  }

  @Test
  void end_isKnownUntilTheNextStart() {
    startLoop();
    log.append(decider.endLoop(log.state(), "one", "stopped", "enough for today"));
    log.encodeAndDecode();
    assertThat(log.state().ended())
        .extracting(Control.LoopEnd::reason, Control.LoopEnd::detail)
        .containsExactly("stopped", "enough for today");

    startLoop("two", true);
    assertThat(log.state().ended()).isNull();
    log.frame("{'action':'loop_end','reason':'of an older version'}", "");
    log.encodeAndDecode();
    assertThat(log.state().ended())
        .extracting(Control.LoopEnd::reason, Control.LoopEnd::detail)
        .containsExactly("of an older version", null);

    startLoop("three", true);
    log.append(decider.loopIsGone(log.state(), run -> false));
    assertThat(log.state().ended()).extracting(Control.LoopEnd::reason).isEqualTo("gone");
  }

  @Test
  void raisedCosts_areSummedExactly() {
    startLoop();
    assertThat(log.state().raised()).isEqualTo(ControlState.Raised.NONE);
    log.frame("{'action':'raise','cost_usd':1.10,'tokens':5}", "");
    log.frame("{'action':'raise','iterations':2}", "");
    log.encodeAndDecode();
    log.frame("{'action':'raise','cost_usd':0.000000000000000000000000000001}", "");
    log.frame("{'action':'raise','cost_usd':2E+2}", "");

    assertThat(log.state().raised().costUsd()).isEqualTo("201.100000000000000000000000000001");
    ControlState before = log.state();
    log.encodeAndDecode();
    assertThat(log.state()).isEqualTo(before);
    assertThat(log.state().raised().tokens()).isEqualTo(5);
  }

  @ParameterizedTest
  @ValueSource(
      strings = {"0", "-1", "1e31", "1e-31", "1000000000001", "'5'", "null", "1e999999999"})
  void invalidRaisedCost_isIgnored(String cost) {
    startLoop();
    log.frame("{'action':'raise','cost_usd':" + cost + "}", "");
    assertThat(log.state().raised()).isEqualTo(ControlState.Raised.NONE);
  }

  // ---- processes

  @Test
  @EnabledOnOs(OS.LINUX)
  void processOfForeignContainer_countsAsAlive() {
    ProcessIdentity here = ProcessIdentity.current();
    assertThat(here.space()).startsWith("pid:[");
    long nobody = 4_000_000;
    ProcessIdentity there = new ProcessIdentity(here.host(), nobody, 1, here.boot(), 1, "pid:[1]");
    assertThat(there.isLive()).isTrue();
    assertThat(there.isHere()).isFalse();
    assertThat(new ProcessIdentity(here.host(), nobody, 1, here.boot(), 1, here.space()).isLive())
        .isFalse();
    assertThat(new ProcessIdentity(here.host(), nobody, 1, here.boot(), 1, null).isLive())
        .as("written by an earlier version")
        .isFalse();
    assertThat(new ProcessIdentity(here.host(), nobody, 1, "earlier", 1, "pid:[1]").isLive())
        .as("before a reboot")
        .isFalse();

    log.append(decider.startLoop(log.state(), there, "one", 1, 0, 1, null, run -> true));
    assertThatThrownBy(
            () ->
                log.append(
                    decider.startLoop(
                        log.state(), here, "two", 1, 0, 1, null, run -> run.isLive(Replay.NOW))))
        .hasMessageContaining("can't check if the process still runs")
        .hasMessageContaining("ralph stop --gone");
    assertThat(log.append(decider.loopIsGone(log.state(), run -> run.isLive(Replay.NOW)))).isTrue();
  }

  @Test
  @EnabledOnOs(OS.LINUX)
  void killedUnreapedProcess_isDead() throws Exception {
    // A second shell replaces the first one, has no record of the child and therefore never reaps
    // the child.
    Process parent =
        new ProcessBuilder("sh", "-c", "sleep 600 & exec sh -c \"echo $!; exec sleep 600\"")
            .start();
    try (BufferedReader out = parent.inputReader()) {
      ProcessHandle child = ProcessHandle.of(Long.parseLong(out.readLine())).orElseThrow();
      ProcessIdentity there = new ProcessIdentity(ProcessIdentity.current().host(), child.pid(), 0);
      assertThat(there.isLive()).isTrue();
      Path name = Path.of("/proc/" + parent.pid() + "/comm");
      while (!Files.readString(name).equals("sleep\n")) {
        Thread.onSpinWait(); // a shell would still reap its child
      }
      child.destroyForcibly();
      while (there.isLive()) {
        Thread.onSpinWait();
      }
      assertThat(child.isAlive()).as("alive by process id only").isTrue();
    } finally {
      parent.destroyForcibly().waitFor();
    }
  }

  @Test
  void reusedProcessId_isRecognised() throws Exception {
    ProcessIdentity current = ProcessIdentity.current();
    assertThat(current.isLive()).isTrue();
    long earlier = current.started() - 60_000;
    assertThat(new ProcessIdentity(current.host(), current.pid(), current.started()).isLive())
        .isTrue();
    assertThat(new ProcessIdentity(current.host(), current.pid(), earlier).isLive()).isFalse();
    assertThat(new ProcessIdentity("another-" + current.host(), 1, 1).isLive())
        .as("unknown on another machine")
        .isTrue();

    Process ended = new ProcessBuilder("true").start();
    ended.waitFor();
    assertThat(new ProcessIdentity(current.host(), ended.pid(), 0).isLive()).isFalse();
  }

  @Test
  @EnabledOnOs(OS.LINUX)
  void changedClock_makesNoLiveProcessDead() {
    ProcessIdentity current = ProcessIdentity.current();
    String boot = current.boot();
    long ticks = current.ticks();
    assertThat(ticks).isPositive();
    assertThat(started(current, 3_000, boot, ticks).isLive()).isTrue();
    assertThat(started(current, 0, boot, ticks + 1).isLive()).as("another start").isFalse();
    assertThat(started(current, 0, "earlier", ticks).isLive()).as("another boot").isFalse();
    assertThat(ProcessIdentity.of(current.in(Meta.empty()))).isEqualTo(current);
  }

  private static ProcessIdentity started(ProcessIdentity of, long later, String boot, long ticks) {
    return new ProcessIdentity(of.host(), of.pid(), of.started() + later, boot, ticks, of.space());
  }
}
