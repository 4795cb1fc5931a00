package dev.ralph.core;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.ralph.AgentResult;
import dev.ralph.NewTask;
import dev.ralph.Note;
import dev.ralph.Ralph;
import dev.ralph.Session;
import dev.ralph.StatusChange;
import dev.ralph.Task;
import dev.ralph.Task.Status;
import dev.ralph.TaskEdit;
import dev.ralph.core.internal.diff.SessionDiff;
import dev.ralph.log.Frame;
import dev.ralph.log.FrameCursor;
import dev.ralph.log.Meta;
import dev.ralph.log.Query;
import dev.ralph.log.RalphException;
import dev.ralph.log.RalphException.Code;
import dev.ralph.log.Topic;
import dev.ralph.log.TopicFilter;
import dev.ralph.spi.FrameStore;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** Listing, forking, comparing and deleting sessions. */
class SessionLifeTest {

  private final Ralph ralph = Ralph.inMemory();
  private final Session auth = ralph.session("auth");

  @AfterEach
  void close() {
    ralph.close();
  }

  private Frame newest() {
    return ralph.log().last(TopicFilter.all()).orElseThrow();
  }

  private List<Frame> frames() {
    List<Frame> frames = new ArrayList<>();
    try (FrameCursor cursor = ralph.log().read(Query.of(TopicFilter.all()))) {
      for (Frame frame = cursor.next(); frame != null; frame = cursor.next()) {
        frames.add(frame);
      }
    }
    return frames;
  }

  private static void assertFails(Code code, Runnable action) {
    assertThatThrownBy(action::run)
        .isInstanceOfSatisfying(
            RalphException.class, e -> assertThat(e.code()).as(e.getMessage()).isEqualTo(code));
  }

  // ---- erasing

  @Test
  void erasedTask_disappearsFromAllViews() {
    Task kept = auth.tasks().add("kept");
    Task secret = auth.tasks().add("the password is sesame");
    auth.tasks().add(NewTask.of("waits").dependsOn(secret.id()));
    assertThat(auth.tasks().ready()).extracting(Task::content).doesNotContain("waits");

    ralph.log().erase(List.of(secret.id()));

    assertThat(auth.tasks().list()).extracting(Task::content).containsExactly("kept", "waits");
    assertThat(auth.tasks().ready()).extracting(Task::content).containsExactly("kept", "waits");
    assertThat(auth.at(newest()).tasks().list()).hasSize(2);
    assertThat(auth.at(Instant.MAX).tasks().list()).hasSize(2);
    assertThat(auth.tasks().complete(kept.id()).status()).isEqualTo(Status.COMPLETED);
    try (Ralph again = Ralph.inMemory()) {
      assertThat(again.sessions()).isEmpty();
    }
  }

  @Test
  void erasedNumber_isNeverReused() {
    auth.tasks().add("kept");
    String task = auth.tasks().add("secret").id();
    String note = auth.notes().add("tip", "secret").id();
    String question = auth.questions().ask("secret?").id();
    String message = auth.inbox().send("secret").id();
    auth.loop(turn -> AgentResult.success()).maxIterations(1).run();
    String iteration =
        frames().stream()
            .filter(frame -> "start".equals(frame.meta().string("action")))
            .findFirst()
            .orElseThrow()
            .id();
    assertThat(ralph.log().erase(List.of(task, note, question, message, iteration))).isEqualTo(5);

    Session reader = Ralph.over((FrameStore) ralph.log()).session("auth");
    assertThat(reader.tasks().list()).extracting(Task::number).containsExactly(1);
    for (Session each : List.of(auth, reader)) {
      int later = each == auth ? 0 : 1;
      assertThat(each.tasks().add("new").number()).isEqualTo(3 + later);
      assertThat(each.notes().add("tip", "new").number()).isEqualTo(2 + later);
      assertThat(each.inbox().send("new").number()).isEqualTo(2 + later);
      assertThat(each.questions().ask("new " + later).number()).isEqualTo(2 + later);
      each.loop(turn -> AgentResult.success()).maxIterations(1).run();
      assertThat(each.iterations().last().orElseThrow().number()).isEqualTo(2 + later);
    }
  }

  @Test
  void erase_recordsNumbersOnlyForErasedFrames() {
    String task = auth.tasks().add("secret").id();
    assertFails(Code.NOT_FOUND, () -> ralph.log().erase(List.of(task, "0".repeat(25))));
    assertThat(frames()).hasSize(1);
    assertThat(ralph.log().erase(List.of(task))).isEqualTo(1);
    assertThat(frames())
        .extracting(frame -> frame.meta().json())
        .startsWith("{}", "{\"action\":\"numbered\",\"n\":1}")
        .hasSize(3);
    assertThat(ralph.log().erase(List.of(task))).isZero();
    assertThat(frames()).hasSize(3);
  }

  @Test
  void unknownActions_areIgnored() {
    fill();
    Moment before = Moment.of(auth);
    for (Topic topic : ralph.log().topics(TopicFilter.all())) {
      ralph.append(topic, Meta.of("action", "dance").with("n", 70), "");
    }
    assertThat(Moment.of(auth)).isEqualTo(before);
    assertThat(auth.tasks().add("new").number()).isEqualTo(4);
  }

  /** The visible state of a session. */
  private record Moment(
      List<Task> tasks, List<Note> notes, List<?> messages, List<?> questions, List<?> iterations) {
    static Moment of(Session session) {
      return new Moment(
          session.tasks().list(),
          session.notes().list(),
          session.inbox().history(),
          session.questions().history(),
          session.iterations().list());
    }
  }

  // ---- listing

  @Test
  void sessions_areListedByPageWithLastUse() {
    for (String name : List.of("b", "d", "a", "c")) {
      ralph.session(name).tasks().add("one");
    }
    ralph.session("b").tasks().add("two");
    Instant last = newest().time();

    assertThat(ralph.sessions()).containsExactly("a", "b", "c", "d");
    List<Session.Listed> first = ralph.sessions("", 2);
    assertThat(first).extracting(Session.Listed::name).containsExactly("a", "b");
    assertThat(first.get(1)).isEqualTo(new Session.Listed("b", last));
    assertThat(ralph.sessions("b", 9)).extracting(Session.Listed::name).containsExactly("c", "d");
    assertThat(ralph.sessions("d", 9)).isEmpty();
    assertThat(ralph.sessions("", 0)).isEmpty();
    assertThatThrownBy(() -> ralph.sessions("", -1))
        .isInstanceOf(RalphException.class)
        .hasMessage("a limit must not be negative: -1");
    assertThat(ralph.hasSession("a")).isTrue();
    assertThat(ralph.hasSession("e")).isFalse();
  }

  // ---- deleting

  @Test
  void deletedSession_isErasedAndCanStartAgain() {
    auth.tasks().add("the password is sesame");
    auth.notes().add("learning", "sesame");
    auth.inbox().send("sesame");
    ralph.session("other").tasks().add("stays");
    ralph.log().erase(List.of(auth.tasks().add("erased before").id()));

    auth.delete();

    assertThat(ralph.sessions()).containsExactly("other");
    assertThat(ralph.hasSession("auth")).isFalse();
    assertThat(frames()).noneMatch(each -> (each.meta() + each.content()).contains("sesame"));
    assertThat(auth.tasks().list()).isEmpty();
    assertThat(auth.notes().list()).isEmpty();
    assertThat(auth.inbox().unread()).isEmpty();
    assertFails(Code.NOT_FOUND, auth::delete);

    assertThat(auth.tasks().add("a task").number()).isEqualTo(1);
    assertThat(ralph.sessions()).containsExactly("auth", "other");
    auth.delete();
    assertThat(ralph.sessions()).containsExactly("other");
  }

  @Test
  void sessionWithRunningLoop_isNotDeleted() {
    auth.tasks().add("one");
    List<Code> refusals = new ArrayList<>();
    auth.loop(
            turn -> {
              try {
                auth.delete();
              } catch (RalphException e) {
                refusals.add(e.code());
              }
              return AgentResult.success();
            })
        .maxIterations(1)
        .run();
    assertThat(refusals).containsExactly(Code.CONTENDED);
    assertThat(auth.tasks().list()).hasSize(1);
    auth.delete();
    assertThat(ralph.sessions()).isEmpty();
  }

  @Test
  void unknownOrPastSession_isNotDeleted() {
    assertFails(Code.NOT_FOUND, () -> ralph.session("nobody").delete());
    auth.tasks().add("one");
    assertFails(Code.UNSUPPORTED, () -> auth.at(newest()).delete());
  }

  // ---- forking

  private void fill() {
    Task first = auth.tasks().add("first");
    Task second = auth.tasks().add(NewTask.of("second").priority(0));
    auth.tasks().depend(first.id(), second.id());
    auth.tasks().claim(second.id(), "worker", Duration.ofHours(1));
    Task third = auth.tasks().add("third");
    auth.tasks().complete(third.id());
    auth.notes().add("learning", "a note");
    auth.inbox().markRead(auth.inbox().send("read").id());
    auth.inbox().send("unread");
    auth.questions().ask("Which port?");
  }

  @Test
  void fork_holdsThePastStateOfTheSession() {
    fill();
    Frame then = newest();
    auth.tasks().add("later");

    Session fork = auth.at(then).fork("other");

    for (Session each : List.of(fork, ralph.session("other"))) {
      List<Task> tasks = each.tasks().list();
      assertThat(tasks).extracting(Task::content).containsExactly("first", "second", "third");
      assertThat(tasks).extracting(Task::number).containsExactly(1, 2, 3);
      assertThat(tasks)
          .extracting(Task::status)
          .containsExactly(Status.REMAINING, Status.REMAINING, Status.COMPLETED);
      assertThat(tasks.get(0).dependencies()).containsExactly(tasks.get(1).id());
      assertThat(tasks.get(1).priority()).isZero();
      assertThat(tasks.get(1).claim()).isNull();
      assertThat(tasks.get(0).added()).isEqualTo(auth.tasks().get("t1").added());
      assertThat(each.notes().list()).extracting(Note::content).containsExactly("a note");
      assertThat(each.inbox().unread()).hasSize(1);
      assertThat(each.inbox().unread().get(0).text()).isEqualTo("unread");
      assertThat(each.questions().open().get(0).text()).isEqualTo("Which port?");
    }
    assertThat(fork.tasks().add("new").number()).isEqualTo(4);
    assertThat(auth.tasks().list()).hasSize(4);
  }

  @Test
  void taskKey_preventsDuplicateInFork() {
    auth.tasks().add(NewTask.of("Write the form").key("2.1"));
    Session fork = auth.fork("other");
    fork.tasks().add(NewTask.of("Write the form").key("2.1"));
    assertThat(fork.tasks().list()).hasSize(1);
  }

  @Test
  void fork_canStartInADifferentStore() {
    fill();
    try (Ralph other = Ralph.inMemory()) {
      Session fork = auth.fork(other, "auth");
      assertThat(fork).isSameAs(other.session("auth"));
      assertThat(fork.tasks().list()).hasSize(3);
      assertThat(other.sessions()).containsExactly("auth");
    }
  }

  @Test
  void fork_neverAddsToAnExistingSession() {
    fill();
    ralph.session("other").tasks().add("mine");
    int before = frames().size();
    assertFails(Code.INVALID, () -> auth.fork("other"));
    assertFails(Code.INVALID, () -> auth.fork("auth"));
    assertFails(Code.INVALID, () -> auth.fork("no name"));
    assertThat(frames()).hasSize(before);
    ralph.session("other").delete();
    assertThat(auth.fork("other").tasks().list()).hasSize(3);
  }

  // ---- comparing

  @Test
  void diff_listsAddedChangedAndRemoved() {
    fill();
    Frame then = newest();
    assertThat(SessionDiff.between(auth.at(then), auth).isEmpty()).isTrue();

    auth.tasks().add("later");
    auth.tasks().complete("t2");
    auth.notes().remove("n1");
    auth.inbox().markRead("m2");
    SessionDiff diff = SessionDiff.between(auth.at(then), auth);

    assertThat(diff.tasks())
        .extracting(SessionDiff.Change::kind)
        .containsExactly(SessionDiff.Kind.CHANGED, SessionDiff.Kind.ADDED);
    SessionDiff.Change<Task> second = diff.tasks().get(0);
    assertThat(second.before().status()).isEqualTo(Status.IN_PROGRESS);
    assertThat(second.after().status()).isEqualTo(Status.COMPLETED);
    assertThat(diff.notes())
        .extracting(SessionDiff.Change::kind)
        .containsExactly(SessionDiff.Kind.REMOVED);
    assertThat(diff.messages())
        .extracting(SessionDiff.Change::kind)
        .containsExactly(SessionDiff.Kind.CHANGED);
    assertThat(diff.questions()).isEmpty();
    assertThat(diff)
        .isEqualTo(SessionDiff.between(auth.at(then), auth))
        .hasSameHashCodeAs(SessionDiff.between(auth.at(then), auth));
    assertThat(SessionDiff.between(auth, auth.at(then)).tasks())
        .extracting(SessionDiff.Change::kind)
        .containsExactly(SessionDiff.Kind.CHANGED, SessionDiff.Kind.REMOVED);
  }

  @Test
  void diffWithFork_listsOnlyDifferences() {
    auth.tasks().add(NewTask.of("first").key("1").priority(1));
    auth.tasks().add(NewTask.of("second, " + "long ".repeat(1_000)).dependsOn("t1"));
    auth.tasks().status("t1", StatusChange.to(Status.BLOCKED).because("no network"));
    auth.notes().add("learning", "a note", 3, "t1");
    auth.inbox().send("unread");
    auth.questions().ask("Which port?");
    try (Ralph elsewhere = Ralph.inMemory()) {
      for (Session fork : List.of(auth.fork("other"), auth.fork(elsewhere, "auth"))) {
        assertThat(SessionDiff.between(auth, fork)).hasToString(nothing());

        fork.tasks().edit("t2", TaskEdit.of().content("second, short"));
        fork.tasks().complete("t1");
        fork.tasks().undepend("t2", "t1");
        fork.inbox().markRead("m1");
        fork.questions().answer("q1", "8080");
        SessionDiff diff = SessionDiff.between(auth, fork);
        assertThat(diff.tasks())
            .extracting(change -> change.after().number())
            .containsExactly(1, 2);
        assertThat(diff.notes()).isEmpty();
        assertThat(diff.messages())
            .extracting(SessionDiff.Change::kind)
            .containsExactly(SessionDiff.Kind.CHANGED, SessionDiff.Kind.ADDED);
        assertThat(diff.questions()).hasSize(1);
      }
    }
  }

  private static String nothing() {
    return "tasks [], notes [], messages [], questions []";
  }

  @Test
  void equalValues_areEqual() {
    fill();
    try (Ralph same = Ralph.over((FrameStore) ralph.log())) {
      Session again = same.session("auth");
      assertThat(again.tasks().list()).isEqualTo(auth.tasks().list());
      assertThat(again.notes().list()).isEqualTo(auth.notes().list());
      assertThat(again.inbox().history()).isEqualTo(auth.inbox().history());
      assertThat(again.questions().history()).isEqualTo(auth.questions().history());
      Task before = auth.tasks().get("t1");
      auth.tasks().complete("t2");
      assertThat(auth.tasks().get("t1")).isEqualTo(before).hasSameHashCodeAs(before);
      assertThat(auth.tasks().get("t2")).isNotEqualTo(again.at(Instant.EPOCH).tasks());
      assertThat(newest()).isEqualTo(newest());
      assertThat(newest().toString()).contains(newest().id());
    }
  }

  /** A host may run for months and use one session after another. */
  @Test
  void unusedSessions_areCollectedInSmallHeap() throws Exception {
    Process host =
        new ProcessBuilder(
                Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                "-XX:TieredStopAtLevel=1",
                "-XX:+UseSerialGC",
                "-Xmx24m",
                "-cp",
                System.getProperty("java.class.path"),
                LongHost.class.getName())
            .redirectErrorStream(true)
            .start();
    String said = new String(host.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
    assertThat(host.waitFor()).as(said).isZero();
    assertThat(said).endsWith("done\n");
  }

  static final class LongHost {
    public static void main(String[] args) {
      try (Ralph ralph = Ralph.inMemory()) {
        for (int i = 0; i < 30_000; i++) {
          ralph.session("job-" + i).tasks().list();
        }
        System.out.println("done");
      }
    }
  }
}
