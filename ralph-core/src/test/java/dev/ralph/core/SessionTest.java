package dev.ralph.core;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.ralph.Claim;
import dev.ralph.Message;
import dev.ralph.NewTask;
import dev.ralph.Note;
import dev.ralph.Ralph;
import dev.ralph.Session;
import dev.ralph.StatusChange;
import dev.ralph.Task;
import dev.ralph.TaskEdit;
import dev.ralph.log.Batch;
import dev.ralph.log.Draft;
import dev.ralph.log.Frame;
import dev.ralph.log.Meta;
import dev.ralph.log.RalphException;
import dev.ralph.log.RalphException.Code;
import dev.ralph.log.Topic;
import dev.ralph.log.TopicFilter;
import java.time.Clock;
import java.time.Duration;
import java.time.Instant;
import java.time.ZoneId;
import java.time.ZoneOffset;
import java.util.List;
import java.util.concurrent.atomic.AtomicReference;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

class SessionTest {

  private final AtomicReference<Instant> now =
      new AtomicReference<>(Instant.parse("2026-03-01T10:00:00Z"));
  private final Ralph ralph = Ralph.builder().store("memory").clock(new TestClock()).open();
  private final Session session = ralph.session("auth");

  /** A clock that only the test advances. */
  private final class TestClock extends Clock {
    @Override
    public ZoneId getZone() {
      return ZoneOffset.UTC;
    }

    @Override
    public Clock withZone(ZoneId zone) {
      throw new UnsupportedOperationException();
    }

    @Override
    public Instant instant() {
      return now.get();
    }
  }

  @AfterEach
  void close() {
    ralph.close();
  }

  private void pass(Duration time) {
    now.updateAndGet(t -> t.plus(time));
  }

  private Frame newestFrame() {
    return ralph.log().last(TopicFilter.all()).orElseThrow();
  }

  @Test
  void tasks_areReadByASecondSessionObject() {
    Task form = session.tasks().add("Write the form");
    session.tasks().add(NewTask.of("Test it").priority(1).dependsOn(form.id()));

    List<Task> tasks = ralph.session("auth").tasks().list();

    assertThat(tasks).extracting(Task::number).containsExactly(1, 2);
    assertThat(tasks).extracting(Task::content).containsExactly("Write the form", "Test it");
    assertThat(tasks.get(1).dependencies()).containsExactly(form.id());
    assertThat(session.tasks().ready()).extracting(Task::number).containsExactly(1);
  }

  @Test
  void frames_haveTheDocumentedFormat() {
    session.tasks().add(NewTask.of("Write the form").iteration(3));
    assertThat(newestFrame().meta().json())
        .isEqualTo("{\"action\":\"add\",\"status\":\"remaining\",\"n\":1,\"iteration\":3}");
    assertThat(newestFrame().topic()).isEqualTo(Topic.of("ralph.auth.task"));

    Task task = session.tasks().status("t1", StatusChange.to(Task.Status.BLOCKED).because("why"));
    assertThat(newestFrame().meta().json())
        .isEqualTo(
            "{\"action\":\"status\",\"id\":\""
                + task.id()
                + "\",\"status\":\"blocked\",\"reason\":\"why\"}");

    session.notes().add("tip", "Look there", 2);
    assertThat(newestFrame().meta().json())
        .isEqualTo("{\"action\":\"add\",\"type\":\"tip\",\"n\":1,\"iteration\":2}");

    Message message = session.inbox().send("Do the API first", "ann", "k1");
    assertThat(newestFrame().meta().json())
        .isEqualTo(
            "{\"status\":\"unread\",\"timestamp\":\"2026-03-01T10:00:00Z\",\"n\":1,"
                + "\"by\":\"ann\",\"key\":\"k1\"}");

    session.inbox().markRead("m1");
    assertThat(newestFrame().meta().json())
        .isEqualTo("{\"action\":\"mark_read\",\"id\":\"" + message.id() + "\"}");
  }

  @Test
  void pastSession_ignoresLaterEditsAndRemovals() {
    session.tasks().addAll(List.of(NewTask.of("a"), NewTask.of("b").dependsOn("#1")));
    session.notes().add("tip", "one");
    Frame before = newestFrame();
    session.tasks().edit("t2", TaskEdit.of().content("c").priority(0));
    session.tasks().undepend("t2", "t1");
    session.notes().remove("n1");

    Task then = session.at(before).tasks().get("t2");
    assertThat(then.content()).isEqualTo("b");
    assertThat(then.dependencies()).hasSize(1);
    assertThat(session.at(before).notes().list()).hasSize(1);
  }

  @Test
  void expiredClaim_isTakenOverAndFenced() {
    session.tasks().add("Write the form");
    Claim first = session.tasks().claim("t1", "ann", Duration.ofMinutes(5)).orElseThrow();

    assertThat(session.tasks().claim("t1", "bob", Duration.ofMinutes(5))).isEmpty();
    assertThat(session.tasks().claimNext("bob", Duration.ofMinutes(5))).isEmpty();

    pass(Duration.ofMinutes(5));
    Claim second = session.tasks().claimNext("bob", Duration.ofMinutes(5)).orElseThrow();

    assertThat(second.owner()).isEqualTo("bob");
    assertThatThrownBy(
            () ->
                session
                    .tasks()
                    .status("t1", StatusChange.to(Task.Status.COMPLETED).under(first.token())))
        .isInstanceOfSatisfying(
            RalphException.class, e -> assertThat(e.code()).isEqualTo(Code.CONTENDED))
        .hasMessageContaining("bob");
    session.tasks().status("t1", StatusChange.to(Task.Status.COMPLETED).under(second.token()));
    assertThat(session.tasks().get("t1").status()).isEqualTo(Task.Status.COMPLETED);
  }

  @Test
  void claimOfFastClock_lastsNoLongerThanRequested() {
    session.tasks().add(NewTask.of("one"));
    session.tasks().add(NewTask.of("two"));
    pass(Duration.ofDays(1));
    Claim first = session.tasks().claim("t1", "ann", Duration.ofMinutes(10)).orElseThrow();
    Claim second = session.tasks().claim("t2", "ann", Duration.ofMinutes(10)).orElseThrow();
    pass(Duration.ofDays(-1));

    assertThat(session.tasks().get("t1").claimAt(now.get())).isNull();
    assertThat(session.tasks().claim("t1", "bob", Duration.ofMinutes(10))).isPresent();
    assertThatThrownBy(() -> session.tasks().renew(first, Duration.ofMinutes(10)))
        .isInstanceOf(RalphException.class);
    assertThat(session.tasks().renew(second, Duration.ofMinutes(10)).until())
        .as("renewable until another owner claims it")
        .isEqualTo(now.get().plus(Duration.ofMinutes(10)));
    assertThat(session.tasks().claim("t2", "bob", Duration.ofMinutes(10))).isEmpty();
  }

  @Test
  void renewedClaim_keepsItsToken() {
    session.tasks().add("Write the form");
    Claim claim = session.tasks().claim("t1", "ann", Duration.ofMinutes(5)).orElseThrow();
    pass(Duration.ofMinutes(4));

    Claim renewed = session.tasks().renew(claim, Duration.ofMinutes(5));

    assertThat(renewed.token()).isEqualTo(claim.token());
    assertThat(renewed.until()).isEqualTo(Instant.parse("2026-03-01T10:09:00Z"));
    assertThat(session.tasks().release(renewed).status()).isEqualTo(Task.Status.REMAINING);
    assertThat(session.tasks().ready()).hasSize(1);
  }

  @Test
  void messageWithKey_isSentOnce() {
    Message sent = session.inbox().send("Do the API first", null, "k1");
    Message again = session.inbox().send("Do the API first", null, "k1");

    assertThat(again.id()).isEqualTo(sent.id());
    assertThat(session.inbox().unread()).hasSize(1);
    session.inbox().markRead(sent.shortId());
    session.inbox().markRead("m1");
    assertThat(session.inbox().unread()).isEmpty();
    assertThat(session.inbox().history()).hasSize(1).allMatch(Message::isRead);
  }

  @Test
  void framesWithoutNumbers_areUnderstood() {
    Draft add = Draft.of(Topic.of("ralph.auth.task"), Meta.parse("{\"action\":\"add\"}"), "Old");
    Frame frame = ralph.log().append(Batch.of("b1", List.of(add))).frames().get(0);
    Draft status =
        Draft.of(
            Topic.of("ralph.auth.task"),
            Meta.of("action", "status")
                .with("id", frame.id().substring(0, 8))
                .with("status", "in_progress"));
    ralph.log().append(Batch.of("b2", List.of(status)));

    Task old = session.tasks().get("t1");

    assertThat(old.status()).isEqualTo(Task.Status.IN_PROGRESS);
    assertThat(session.tasks().add("New").number()).isEqualTo(2);
  }

  @Test
  void openTasks_blockCompletionAndAreNamed() {
    session.tasks().add("Write the form");
    session.tasks().add("Test it");
    session.tasks().complete("t1");

    assertThatThrownBy(() -> session.control().complete())
        .isInstanceOfSatisfying(
            RalphException.class, e -> assertThat(e.code()).isEqualTo(Code.INVALID))
        .hasMessageContaining("t2 Test it")
        .hasMessageNotContaining("t1");

    session.tasks().complete("t2");
    session.control().complete();
    assertThat(newestFrame().meta().json()).isEqualTo("{\"action\":\"session_complete\"}");
  }

  @Test
  void pastSession_isReadOnly() {
    session.tasks().add("Write the form");
    session.notes().add("tip", "Look there");
    Frame then = newestFrame();
    Instant time = now.get();
    pass(Duration.ofHours(1));
    session.tasks().complete("t1");
    session.tasks().add("Test it");
    session.notes().add("tip", "And there");
    session.inbox().send("Later");

    for (Session past : List.of(session.at(then), session.at(time))) {
      assertThat(past.name()).isEqualTo("auth");
      assertThat(past.tasks().list())
          .extracting(Task::status)
          .containsExactly(Task.Status.REMAINING);
      assertThat(past.tasks().ready()).hasSize(1);
      assertThat(past.notes().list()).extracting(Note::content).containsExactly("Look there");
      assertThat(past.inbox().history()).isEmpty();
      assertThat(past.at(newestFrame()).tasks().list()).hasSize(2);
      List<Runnable> changes =
          List.of(
              () -> past.tasks().add("New"),
              () -> past.tasks().complete("t1"),
              () -> past.notes().add("tip", "x"),
              () -> past.inbox().send("x"),
              () -> past.inbox().markRead("m1"),
              () -> past.control().pause(),
              () -> past.control().complete(),
              () -> past.loop(turn -> null));
      for (Runnable change : changes) {
        assertThatThrownBy(change::run)
            .isInstanceOfSatisfying(
                RalphException.class, e -> assertThat(e.code()).isEqualTo(Code.UNSUPPORTED))
            .hasMessage("a past state can't be changed");
      }
    }
  }

  /** Two hosts append in turn; the clock of one host is 90 s ahead. */
  @Test
  void pastWithDifferentClocks_isTheSameMoment() {
    Duration ahead = Duration.ofSeconds(90);
    session.tasks().add("one");
    pass(ahead);
    session.tasks().add("two");
    session.notes().add("tip", "by the host that is ahead");
    pass(ahead.negated().plusSeconds(1));
    session.tasks().add("three");
    Instant three = now.get();
    pass(Duration.ofSeconds(1));
    session.tasks().add("four");
    pass(ahead);
    session.tasks().add("five");

    assertThat(session.at(three.minusMillis(1)).tasks().list())
        .extracting(Task::content)
        .containsExactly("one");
    Session past = session.at(three);
    assertThat(past.tasks().list())
        .extracting(Task::content)
        .containsExactly("one", "two", "three");
    assertThat(past.notes().list()).as("the same moment").hasSize(1);
    assertThat(session.at(three.plusSeconds(1)).tasks().list()).hasSize(4);
    assertThat(session.at(three.minusSeconds(2)).tasks().list()).isEmpty();
    assertThat(past.clock().instant()).isEqualTo(three);
  }

  @Test
  void foreignFrame_isNoMomentOfThisStore() {
    session.tasks().add("Write the form");
    try (Ralph other = Ralph.inMemory()) {
      other.session("auth").tasks().add("Write the form");
      Frame foreign = other.log().last(TopicFilter.all()).orElseThrow();

      assertThatThrownBy(() -> session.at(foreign))
          .isInstanceOfSatisfying(
              RalphException.class, e -> assertThat(e.code()).isEqualTo(Code.NOT_FOUND))
          .hasMessage("the frame " + foreign.id() + " is not in the store memory");
    }
  }

  @Test
  void sessions_listsOnlySessionsWithFrames() {
    session.tasks().add("Write the form");
    ralph.session("billing").notes().add("tip", "x");
    ralph.session("empty").tasks().list();

    assertThat(ralph.sessions()).containsExactly("auth", "billing");
    assertThatThrownBy(() -> ralph.session("../x")).hasMessageContaining("session name");
  }
}
