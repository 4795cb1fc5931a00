package dev.ralph.core;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.ralph.AgentResult;
import dev.ralph.Message;
import dev.ralph.NewTask;
import dev.ralph.Note;
import dev.ralph.Question;
import dev.ralph.Ralph;
import dev.ralph.Session;
import dev.ralph.Task;
import dev.ralph.TaskEdit;
import dev.ralph.log.Batch;
import dev.ralph.log.DamagedException;
import dev.ralph.log.Draft;
import dev.ralph.log.Frame;
import dev.ralph.log.Meta;
import dev.ralph.log.RalphException;
import dev.ralph.log.RalphException.Code;
import dev.ralph.log.Topic;
import dev.ralph.log.TopicFilter;
import dev.ralph.spi.FrameStore;
import dev.ralph.spi.StoreConfig;
import dev.ralph.store.memory.MemoryStoreProvider;
import dev.ralph.tool.AgentTools;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.atomic.AtomicReference;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/**
 * Notes, messages, tasks and questions that are too long for memory: which calls read the full
 * text, and which do not.
 */
class LongTextTest {

  private static final String LONG = "begin " + "x".repeat(100_000) + " end";

  private final FrameStore memory = new MemoryStoreProvider().open(StoreConfig.in(null));
  private final LostContents store = new LostContents(memory);
  private final List<String> read = store.asked();

  @AfterEach
  void close() {
    memory.close();
  }

  private Session session() {
    return store.open().session("auth");
  }

  /** Clears the recorded reads, and opens the session as another process does. */
  private Session reopened() {
    read.clear();
    return session();
  }

  @Test
  void lists_readNoLongText() {
    session().notes().add("tip", LONG);
    session().inbox().send(LONG);
    Session session = reopened();

    Note note = session.notes().list().get(0);
    Message message = session.inbox().unread().get(0);
    assertThat(note.length()).isEqualTo(LONG.length());
    assertThat(message.length()).isEqualTo(LONG.length());
    assertThat(note.beginning(1_500)).isEqualTo(LONG.substring(0, 1_500));
    assertThat(message.beginning(1_500)).isEqualTo(LONG.substring(0, 1_500));
    assertThat(note).hasToString("[tip] " + LONG.substring(0, 256) + "…");
    assertThat(message.toString()).startsWith("m1 begin xxx").hasSizeLessThan(300);
    assertThat(note).isEqualTo(session.notes().get("n1"));
    assertThat(session.inbox().markRead("m1").isRead()).isTrue();
    assertThat(read).isEmpty();
  }

  @Test
  void longText_isReadOnRequest() {
    session().notes().add("tip", LONG);
    session().inbox().send(LONG);
    Session session = reopened();

    assertThat(session.notes().get("n1").content()).isEqualTo(LONG);
    assertThat(session.inbox().get("m1").text()).isEqualTo(LONG);
    assertThat(session.notes().get("n1").beginning(50_000)).isEqualTo(LONG.substring(0, 50_000));
    assertThat(session.notes().get("n1").beginning(Integer.MAX_VALUE)).isEqualTo(LONG);
    assertThat(read).hasSize(4);
  }

  @Test
  void textOfAnyLength_isComplete() {
    for (int length : new int[] {1, 255, 256, 257, 1_499, 1_500, 1_501, 16_384, 16_385}) {
      String text = "x".repeat(length - 1) + "é";
      Note note = session().notes().add("tip", text);
      Note later = reopened().notes().get(note.id());
      assertThat(later.content()).isEqualTo(text);
      assertThat(later.length()).isEqualTo(length);
      assertThat(later).isEqualTo(note);
      for (int characters : new int[] {0, 1, 255, 256, 257, 1_500, 1_501, 16_384, 20_000}) {
        assertThat(later.beginning(characters))
            .isEqualTo(text.substring(0, Math.min(characters, length)));
      }
      assertThat(later.beginning(-1)).isEmpty();
    }
  }

  @Test
  void beginning_splitsNoCharacter() {
    String faces = "😀".repeat(10_000);
    session().notes().add("tip", "a" + faces);
    Note note = reopened().notes().get("n1");

    for (int characters : new int[] {2, 256, 1_500, 15_000}) {
      assertThat(note.beginning(characters))
          .isEqualTo("a" + "😀".repeat((characters - 1) / 2))
          .hasSize(characters - 1 + characters % 2);
    }
    assertThat(note.content()).isEqualTo("a" + faces);
  }

  @Test
  void frameWithoutBeginning_isReadOnce() {
    Meta meta = Meta.of("action", "add").with("type", "tip");
    store.append(Batch.of("old", List.of(Draft.of(Topic.of("ralph.auth.note"), meta, LONG))));
    Session session = reopened();

    assertThat(session.notes().get("n1").length()).isEqualTo(LONG.length());
    assertThat(session.notes().get("n1").beginning(256)).isEqualTo(LONG.substring(0, 256));
    assertThat(read).hasSize(1);
    assertThat(session.notes().get("n1").beginning(300)).isEqualTo(LONG.substring(0, 300));
    assertThat(session.notes().get("n1").content()).isEqualTo(LONG);
  }

  @Test
  void listsAndPrompts_readOnlyTheShownText() {
    for (int i = 0; i < 20; i++) {
      session().notes().add("tip", i + LONG);
    }
    session().inbox().send(LONG);
    Session session = reopened();

    try (AgentTools tools = session.openTools()) {
      AgentTools.Call list = tools.begin("note_list", Meta.empty());
      String notes = list.run().text();
      list.answered();
      assertThat(notes).contains("(cut: note_list with id n20 shows the full text)");
      assertThat(read).as("the message in the reply, which shows its first part").hasSize(1);
      read.clear();
      assertThat(tools.begin("note_list", Meta.of("id", "n3")).run().text())
          .contains("2begin xxx", "more characters");
      assertThat(read).hasSize(1);
    }
    session.inbox().markRead("m1");
    session.inbox().send("second " + LONG);
    read.clear();
    String prompt = prompt(session);
    assertThat(prompt).contains("second " + LONG, "19begin xxx", "(13 older not shown)");
    assertThat(read).as("only the message").hasSize(1);
  }

  private static String prompt(Session session) {
    AtomicReference<String> prompt = new AtomicReference<>();
    session
        .loop(
            turn -> {
              prompt.set(turn.prompt());
              return AgentResult.success();
            })
        .maxIterations(1)
        .run();
    return prompt.get();
  }

  @Test
  void tooManyMessages_promptHoldsTheFirst() {
    String text = "y".repeat(400_000);
    for (int i = 1; i <= 4; i++) {
      session().inbox().send("message " + i + " " + text);
    }
    Session session = reopened();

    assertThat(prompt(session))
        .contains("message 1 " + text, "message 2 " + text)
        .contains("(and 2 more, shown once these are marked as read)")
        .doesNotContain("message 3");
    assertThat(read).hasSize(2);
  }

  @Test
  void lostText_isListedAndReportedOnRead() {
    Note note = session().notes().add("tip", LONG);
    Message message = session().inbox().send(LONG);
    session().inbox().send("second");
    store.lose(note.id());
    store.lose(message.id());

    try (Ralph ralph = store.open()) {
      Session session = ralph.session("auth");
      Note listed = session.notes().list().get(0);
      assertThat(listed.beginning(10)).isEqualTo("begin xxxx");
      assertThat(ralph.damage()).isEmpty();
      assertThat(listed.beginning(20_000)).isEqualTo(LONG.substring(0, 1_500));
      assertThatThrownBy(listed::content)
          .isInstanceOfSatisfying(
              RalphException.class, e -> assertThat(e.code()).isEqualTo(Code.DAMAGED));
      assertThat(ralph.damage())
          .singleElement()
          .satisfies(damage -> assertThat(damage.description()).contains(note.id()));
      assertThat(prompt(session))
          .contains("begin xxx", "(the rest of this message is lost)", "second");

      store.putBack();
      assertThat(listed.content()).isEqualTo(LONG);
      assertThat(session.inbox().get("m1").text()).isEqualTo(LONG);
    }
  }

  // ---- edited tasks

  private static String long2(String begin) {
    return LONG.substring(0, 50_000) + begin + LONG.substring(50_000 + begin.length());
  }

  @Test
  void longTask_isReadOnRequestOnly() {
    session().tasks().add(LONG);
    session().tasks().add("short");
    Session session = reopened();

    Task task = session.tasks().ready().get(0);
    assertThat(task.length()).isEqualTo(LONG.length());
    assertThat(task.beginning(1_500)).isEqualTo(LONG.substring(0, 1_500));
    assertThat(task.toString()).startsWith("t1 begin xxx").hasSizeLessThan(100);
    assertThat(prompt(session)).contains("- [t1] begin xxx", "…\n- [t2] short");
    try (AgentTools tools = session.openTools()) {
      assertThat(tools.begin("task_list", Meta.empty()).run().text())
          .contains("- [t1] begin xxx", "…\n- [t2] short")
          .hasSizeLessThan(1_000);
    }
    session.tasks().claimNext("worker", Duration.ofMinutes(1));
    session.tasks().edit("t1", TaskEdit.of().priority(0));
    session.tasks().depend("t1", "t2");
    session.tasks().undepend("t1", "t2");
    assertThat(read.stream().filter(task.id()::equals)).isEmpty();
    assertThat(session.tasks().get("t1").content()).isEqualTo(LONG);
    assertThat(reopened().tasks().get("t1").content()).isEqualTo(LONG);
  }

  @Test
  void editedTask_hasTheNewText() {
    Task task = session().tasks().add("short");
    String other = long2("other");
    for (String text : List.of(LONG, other, "short again", "y".repeat(300), LONG)) {
      Task before = session().tasks().get("t1");
      assertThat(session().tasks().edit("t1", TaskEdit.of().content(text)))
          .as("changed, even with equal length and beginning")
          .isNotEqualTo(before);
      assertThat(reopened().tasks().get("t1").content()).isEqualTo(text);
      assertThat(session().tasks().get("t1").length()).isEqualTo(text.length());
    }
    Frame last = memory.last(TopicFilter.of(task())).orElseThrow();
    session().tasks().edit("t1", TaskEdit.of().content(LONG));
    assertThat(memory.last(TopicFilter.of(task()))).as("no new frame").contains(last);
    assertThat(session().at(memory.get(task.id()).orElseThrow()).tasks().get("t1").content())
        .isEqualTo("short");
  }

  private static Topic task() {
    return Topic.of("ralph.auth.task");
  }

  @Test
  void taskWithLostText_canBeEdited() {
    Task task = session().tasks().add(LONG);
    store.lose(task.id());
    Session session = reopened();

    assertThat(session.tasks().get("t1").beginning(10)).isEqualTo("begin xxxx");
    assertThatThrownBy(() -> session.tasks().get("t1").content())
        .isInstanceOf(DamagedException.class);
    session.tasks().edit("t1", TaskEdit.of().content(LONG));
    assertThat(reopened().tasks().get("t1").content()).isEqualTo(LONG);
  }

  @Test
  void snapshot_holdsOnlyBeginningsOfLongTasks() {
    List<NewTask> tasks = new ArrayList<>();
    for (int i = 1; i <= 2_000; i++) {
      tasks.add(NewTask.of(i + " " + "x".repeat(1_000)));
    }
    session().tasks().addAll(tasks);
    String edited = session().tasks().edit("t7", TaskEdit.of().content("7! " + LONG)).id();
    assertThat(session().tasks().list()).hasSize(2_000);
    Session session = reopened();

    assertThat(session.tasks().get(edited).beginning(100)).startsWith("7! begin");
    assertThat(session.tasks().get("t2000").beginning(256)).startsWith("2000 xxx");
    assertThat(read).as("restored from the snapshot").isEmpty();
    assertThat(session.tasks().get("t7").content()).isEqualTo("7! " + LONG);
    assertThat(session.tasks().get("t8").content()).isEqualTo("8 " + "x".repeat(1_000));
  }

  // ---- questions

  @Test
  void longQuestionsAndAnswers_areReadOnRequest() {
    session().questions().ask(LONG);
    assertThat(session().questions().ask(LONG).number()).as("repeated question").isEqualTo(1);
    assertThat(session().questions().ask(long2("other")).number()).isEqualTo(2);
    session().questions().answer("q1", "yes " + LONG, null);
    Session session = reopened();

    Question question = session.questions().history().get(0);
    assertThat(question.length()).isEqualTo(LONG.length());
    assertThat(question.beginning(20)).isEqualTo(LONG.substring(0, 20));
    assertThat(question.answerLength()).isEqualTo(4 + LONG.length());
    assertThat(question.answerBeginning(20)).isEqualTo("yes " + LONG.substring(0, 16));
    assertThat(session.questions().open().get(0).answerBeginning(20)).isNull();
    assertThat(session.questions().open().get(0).answerLength()).isZero();
    assertThat(session.inbox().markRead("m1").isRead()).isTrue();
    assertThat(prompt(session)).contains("- [q2] begin xxx").hasSizeLessThan(10_000);
    assertThat(read).isEmpty();
    assertThat(question.text()).isEqualTo(LONG);
    assertThat(question.answer()).isEqualTo("yes " + LONG);
    assertThatThrownBy(() -> session.questions().answer("q1", "no", null))
        .hasMessageContaining("is already answered: 'yes begin xxx");
  }

  @Test
  void fork_keepsBeginningsOfLongTexts() {
    session().notes().add("tip", LONG);
    session().inbox().send(LONG);
    session().tasks().add("short");
    session().tasks().edit("t1", TaskEdit.of().content(LONG));
    session().questions().ask(LONG);
    session().fork("auth-2");
    read.clear();
    Session fork = store.open().session("auth-2");

    assertThat(fork.notes().get("n1").length()).isEqualTo(LONG.length());
    assertThat(fork.inbox().get("m1").beginning(1_000)).isEqualTo(LONG.substring(0, 1_000));
    assertThat(fork.tasks().get("t1").beginning(1_000)).isEqualTo(LONG.substring(0, 1_000));
    assertThat(fork.questions().get("q1").length()).isEqualTo(LONG.length());
    assertThat(read).isEmpty();
    assertThat(fork.tasks().get("t1").content()).isEqualTo(LONG);
    assertThat(fork.notes().get("n1").content()).isEqualTo(LONG);
  }
}
