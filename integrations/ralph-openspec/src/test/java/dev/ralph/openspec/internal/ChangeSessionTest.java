package dev.ralph.openspec.internal;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.tuple;

import dev.ralph.Ralph;
import dev.ralph.log.Batch;
import dev.ralph.log.ContendedException;
import dev.ralph.log.Draft;
import dev.ralph.log.Meta;
import dev.ralph.log.NotFoundException;
import dev.ralph.log.RalphException;
import dev.ralph.log.Topic;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.time.Clock;
import java.time.Duration;
import java.time.Instant;
import java.time.ZoneId;
import java.time.ZoneOffset;
import java.util.List;
import org.assertj.core.api.ThrowableAssert.ThrowingCallable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class ChangeSessionTest {

  private static final String TASKS =
      "## 1. One\n- [ ] 1.1 a\n- [ ] 1.10 b\n\n## 2. Two\n- [ ] 2.1 c\n";

  @TempDir Path project;
  private final HandClock clock = new HandClock();
  private Path folder;
  private Ralph ralph;

  /** A clock that the test sets. */
  private static final class HandClock extends Clock {
    private Instant now = Instant.parse("2026-03-04T05:06:07Z");

    @Override
    public ZoneId getZone() {
      return ZoneOffset.UTC;
    }

    @Override
    public Clock withZone(ZoneId zone) {
      return this;
    }

    @Override
    public Instant instant() {
      return now;
    }

    void move(Duration by) {
      now = now.plus(by);
    }
  }

  @BeforeEach
  void makeAChange() throws IOException {
    folder = Files.createDirectories(project.resolve("openspec/changes/add-login"));
    Files.writeString(folder.resolve("proposal.md"), "## Why\n");
    Files.writeString(folder.resolve("tasks.md"), TASKS);
    Files.writeString(folder.resolve("design.md"), "## Context\nA door.");
    ralph = Ralph.builder().store("memory").clock(clock).open();
  }

  @AfterEach
  void close() {
    ralph.close();
  }

  private ChangeSession begin() {
    return ChangeSession.begin(ralph, project, "add-login", null);
  }

  private String design() throws IOException {
    return Files.readString(folder.resolve("design.md"));
  }

  // ---- stories

  @Test
  void change_isWorkedThroughStoryByStory() {
    ChangeSession work = begin();
    assertThat(work.name()).matches("add-login-[a-z0-9]{8}");
    assertThat(work.nextStory()).map(Story::title).contains("One");
    assertThat(work.story()).contains("1");

    assertThat(work.done("1", "1.1").done()).isEqualTo(1);
    assertThat(work.done("1", "1.1").done()).as("already done").isEqualTo(1);
    assertThat(work.done("1", "1.10").isComplete()).isTrue();
    assertThat(work.nextStory()).map(Story::id).contains("2");
    work.done("2", "2.1");
    assertThat(work.nextStory()).isEmpty();
    assertThat(work.story()).isEmpty();
  }

  @Test
  void taskOutsideStory_isRejected() throws IOException {
    ChangeSession work = begin();
    assertThatThrownBy(() -> work.done("1", "2.1"))
        .isInstanceOf(OtherStoryException.class)
        .hasMessage("task 2.1 belongs to story 2, not to 1");
    assertThatThrownBy(() -> work.done("1", "1.2"))
        .isInstanceOf(NotFoundException.class)
        .hasMessageContaining("available: 1.1, 1.10");
    assertThatThrownBy(() -> work.done("3", "1.1"))
        .isInstanceOf(NotFoundException.class)
        .hasMessageContaining("available: 1, 2");
    assertThat(folder.resolve("tasks.md")).hasContent(TASKS);
  }

  @Test
  void editedList_ticksTheAssignedTask() throws IOException {
    Path tasks = folder.resolve("tasks.md");
    Files.writeString(tasks, "## 1. One\n- [ ] Alpha\n- [ ] Beta\n- [ ] Gamma\n");
    ChangeSession work = begin();
    work.assign();
    Files.writeString(tasks, "## 1. One\n- [ ] Beta\n- [ ] Gamma\n");
    assertThat(work.task("1", "1.#2").description()).isEqualTo("Beta");
    assertThat(work.done("1", "1.#2").tasks())
        .extracting(StoryTask::id, StoryTask::done)
        .containsExactly(tuple("1.#2", true), tuple("1.#3", false));
    assertThat(tasks).hasContent("## 1. One\n- [x] Beta\n- [ ] Gamma");
    assertThatThrownBy(() -> work.done("1", "1.#1"))
        .isInstanceOf(PlanChangedException.class)
        .hasMessageContaining("no line of it corresponds to task 1.#1");
    assertThat(tasks).hasContent("## 1. One\n- [x] Beta\n- [ ] Gamma");
  }

  @Test
  void renumberedTask_isTickedByItsAssignedNumber() throws IOException {
    Path tasks = folder.resolve("tasks.md");
    ChangeSession work = begin();
    work.assign();
    Files.writeString(tasks, "## 1. One\n- [ ] 1.1 b\n- [ ] 1.10 new\n");
    work.done("1", "1.10");
    assertThat(tasks).hasContent("## 1. One\n- [x] 1.1 b\n- [ ] 1.10 new");
    work.assign();
    work.done("1", "1.10");
    assertThat(tasks).hasContent("## 1. One\n- [x] 1.1 b\n- [x] 1.10 new");
  }

  @Test
  void learnings_takeTheLineBreaksOfTheFile() throws IOException {
    Files.writeString(folder.resolve("design.md"), "## Context\r\n```\r\n## Learnings\r\n```\r\n");
    ChangeSession work = begin();
    work.learn("first line\nsecond line", "1", null);
    work.flush();
    assertThat(design())
        .endsWith(
            "```\r\n\r\n## Learnings\r\n\r\n### 2026-03-04 - Story 1\r\n\r\n"
                + "- first line\r\n  second line\r\n");
  }

  @Test
  void duplicateTaskNumber_isNotTicked() throws IOException {
    String twice =
        "## 1. One\n- [ ] 1.1 a\n- [ ] 1.1 b\n## 2. Two\n- [ ] 2.1 c\n- [ ] 1.3 d\n## 3. X\n- [ ] 1.3 e\n";
    Files.writeString(folder.resolve("tasks.md"), twice);
    ChangeSession work = begin();
    for (String task : List.of("1.1", "1.3")) {
      assertThatThrownBy(() -> work.done(task.equals("1.1") ? "1" : "2", task))
          .isInstanceOf(RalphException.class)
          .hasMessageContaining("several tasks have the number " + task);
    }
    assertThat(folder.resolve("tasks.md")).hasContent(twice);
  }

  @Test
  void partlyWrittenFile_isAwaited() throws IOException {
    ChangeSession work = begin();
    Path tasks = folder.resolve("tasks.md");
    Files.writeString(tasks, "");
    int[] looks = {0};
    Change whole =
        work.whole(
            change -> {
              try {
                Files.writeString(tasks, ++looks[0] == 1 ? "## 1. One\n" : TASKS);
              } catch (IOException e) {
                throw new UncheckedIOException(e);
              }
              return change.hasKey("2.1");
            });
    assertThat(whole.stories()).hasSize(2);
    assertThat(looks[0]).isEqualTo(3);
  }

  // ---- exclusive use

  @Test
  void change_isHeldFifteenMinutesAfterUse() throws IOException {
    ChangeSession first = begin();
    clock.move(Duration.ofMinutes(14));
    first.learn("still there", null, null);
    clock.move(Duration.ofMinutes(14));
    assertThatThrownBy(this::begin)
        .isInstanceOf(ContendedException.class)
        .hasMessageContaining(first.name());

    clock.move(Duration.ofMinutes(1));
    ChangeSession second = begin();
    String design = design();
    for (Runnable change :
        List.<Runnable>of(
            () -> first.learn("too late", null, null),
            () -> first.done("1", "1.1"),
            first::nextStory,
            first::flush,
            first::end,
            () -> first.resume(null))) {
      assertThatThrownBy(change::run)
          .isInstanceOf(ContendedException.class)
          .hasMessageContaining(second.name());
    }
    assertThat(first.learnings()).hasSize(1);
    assertThat(design()).isEqualTo(design);
    assertThat(folder.resolve("tasks.md")).hasContent(TASKS);

    second.end();
    first.resume(null);
    first.done("1", "1.1");
  }

  @Test
  void ownerProcess_holdsChangeWhileAlive() throws Exception {
    Process owner = new ProcessBuilder("sleep", "600").start();
    try {
      ChangeSession first = ChangeSession.begin(ralph, project, "add-login", owner.toHandle());
      clock.move(Duration.ofDays(2));
      assertThatThrownBy(this::begin).hasMessageContaining("process " + owner.pid());
      first.done("1", "1.1");
    } finally {
      owner.destroyForcibly().waitFor();
    }
    begin().done("2", "2.1");
  }

  // ---- learnings

  @Test
  void learnings_areWrittenOnce() throws IOException {
    ChangeSession work = begin();
    assertThat(work.learn("The form is old", "1", null)).isEqualTo(1);
    assertThat(work.learn("It has\n  two lines", "1", "1.10")).isEqualTo(2);
    assertThat(work.learn("So has the door", "2", null)).isEqualTo(3);

    assertThat(work.flush()).isEqualTo(3);
    assertThat(work.flush()).isZero();
    assertThat(work.hasEnded()).isTrue();
    assertThat(design())
        .isEqualTo(
            """
            ## Context
            A door.

            ## Learnings

            ### 2026-03-04 - Story 1

            - The form is old
            - It has
              two lines (Task 1.10)

            ### 2026-03-04 - Story 2

            - So has the door
            """);

    ChangeSession next = begin();
    next.learn("Nothing new", null, null);
    next.flush();
    assertThat(design()).endsWith("- So has the door\n\n### 2026-03-04\n\n- Nothing new\n");
  }

  @Test
  void missingLearnings_writeNothing() throws IOException {
    String design = design();
    assertThat(begin().flush()).isZero();
    ChangeSession ended = begin();
    ended.learn("lost on purpose", null, null);
    ended.end();
    ended.end();
    assertThat(ended.flush()).isZero();
    assertThat(design()).isEqualTo(design);
    assertThatThrownBy(() -> ended.learn("more", null, null)).hasMessageContaining("has ended");
  }

  @Test
  void interruptedFlush_isCompletedByNext() throws IOException {
    String before = design();
    ChangeSession whole = begin();
    whole.learn("größer", "1", "1.1");
    whole.flush();
    byte[] after = Files.readAllBytes(folder.resolve("design.md"));
    int from = before.length();
    for (int kept = from; kept <= after.length; kept++) {
      Files.write(
          folder.resolve("design.md"), before.getBytes(java.nio.charset.StandardCharsets.UTF_8));
      new DesignFile(folder).append(whole.learnings(), from, "2026-03-04");
      byte[] cut = java.util.Arrays.copyOf(after, kept);
      Files.write(folder.resolve("design.md"), cut);
      new DesignFile(folder).append(whole.learnings(), from, "2026-03-04");
      assertThat(folder.resolve("design.md")).as("cut at %d", kept).hasBinaryContent(after);
    }
  }

  @Test
  void editedFile_getsLearningsAtEndOnce() throws IOException {
    ChangeSession work = begin();
    work.learn("kept", "1", null);
    DesignFile file = new DesignFile(folder);
    long size = file.size();
    Files.writeString(folder.resolve("design.md"), "## Context\nA door, and a window.\n");
    file.append(work.learnings(), size, "2026-03-04");
    file.append(work.learnings(), size, "2026-03-04");
    assertThat(design())
        .isEqualTo(
            "## Context\nA door, and a window.\n\n## Learnings\n\n### 2026-03-04 - Story 1\n\n- kept\n");
  }

  /** Makes a flush fail, because the file is a broken link. */
  private void flushInVain(ChangeSession work) throws IOException {
    Path design = folder.resolve("design.md");
    Path aside = Files.move(design, folder.resolve("aside.md"));
    Files.createSymbolicLink(design, folder.resolve("nowhere/design.md"));
    assertThatThrownBy(work::flush).isInstanceOf(RalphException.class);
    Files.delete(design);
    Files.move(aside, design);
  }

  @Test
  void learningAfterFailedFlush_isWritten() throws IOException {
    ChangeSession work = begin();
    work.learn("one", "1", null);
    flushInVain(work);
    work.learn("two", "1", null);
    flushInVain(work);
    work.learn("three", "1", null);

    assertThat(work.flush()).isEqualTo(3);
    assertThat(work.hasEnded()).isTrue();
    assertThat(design().lines().filter(line -> line.startsWith("- ")))
        .containsExactly("- one", "- two", "- three");
  }

  @Test
  void learningRemovedAfterFailedFlush_isNotWritten() throws IOException {
    ChangeSession work = begin();
    work.learn("one", "1", null);
    work.learn("a password", "1", null);
    flushInVain(work);
    work.session().notes().remove("n2");

    assertThat(work.flush()).isEqualTo(1);
    assertThat(work.hasEnded()).isTrue();
    assertThat(design()).endsWith("### 2026-03-04 - Story 1\n\n- one\n");
  }

  @Test
  void flushWithAllLearningsRemoved_writesNothing() throws IOException {
    String design = design();
    ChangeSession work = begin();
    work.learn("a password", "1", null);
    flushInVain(work);
    work.session().notes().remove("n1");

    assertThat(work.flush()).isZero();
    assertThat(work.hasEnded()).isTrue();
    assertThat(design()).isEqualTo(design);
  }

  @Test
  void writtenLearning_isNotRepeatedAfterRemoval() throws IOException {
    ChangeSession work = begin();
    work.learn("one", "1", null);
    work.learn("two", "1", null);
    long size = new DesignFile(folder).size();
    flushInVain(work);
    new DesignFile(folder).append(work.learnings(), size, "2026-03-04");
    String design = design();
    work.session().notes().remove("n1");

    assertThat(work.flush()).isEqualTo(1);
    assertThat(design()).isEqualTo(design);
  }

  @Test
  void flushOfEarlierVersion_isCompleted() throws IOException {
    ChangeSession work = begin();
    work.learn("one", "1", null);
    DesignFile file = new DesignFile(folder);
    Meta begun =
        Meta.of("action", "flush")
            .with("session", work.name())
            .with("size", file.size())
            .with("learnings", 1)
            .with("date", "2026-03-04");
    Topic topic = Topic.of("openspec.add-login.session");
    ralph.log().append(Batch.of("begun", List.of(Draft.of(topic, begun))));
    file.append(work.learnings(), file.size(), "2026-03-04");
    String design = design();
    work.learn("two", "1", null);

    assertThat(work.flush()).isEqualTo(2);
    assertThat(design()).isEqualTo(design + "\n### 2026-03-04 - Story 1\n\n- two\n");
  }

  // ---- finding sessions

  @Test
  void session_isFoundByName() {
    ChangeSession work = begin();
    work.nextStory();
    ChangeSession found = ChangeSession.of(ralph, project, work.name());
    assertThat(found.story()).contains("1");
    for (String name : List.of("", "x", "add-login-00000000", "add-login", "../x")) {
      assertThatThrownBy(() -> ChangeSession.of(ralph, project, name))
          .isInstanceOf(NotFoundException.class);
    }
    work.end();
    begin();
    assertThat(ChangeSession.list(ralph, project))
        .extracting(ChangeSession::hasEnded)
        .containsExactly(true, false);
  }

  @Test
  void linkedFile_isNotWrittenThrough() throws IOException {
    Path outside = Files.createDirectory(project.resolve("outside"));
    ChangeSession work = begin();
    work.learn("one", "1", null);
    for (String name : List.of("tasks.md", "design.md")) {
      Path file = folder.resolve(name);
      String text = Files.readString(file);
      Path target = Files.move(file, outside.resolve(name));
      Files.createSymbolicLink(file, target);
      ThrowingCallable use =
          name.equals("tasks.md") ? () -> work.done("1", "1.1") : () -> work.flush();

      assertThatThrownBy(use)
          .isInstanceOf(RalphException.class)
          .hasMessageContaining(file + " is a symbolic link");
      assertThat(target).hasContent(text);
      Files.move(target, file, StandardCopyOption.REPLACE_EXISTING);
    }
    for (Path above : List.of(folder, folder.getParent(), folder.getParent().getParent())) {
      Path target = Files.move(above, outside.resolve("folder"));
      Files.createSymbolicLink(above, target);
      assertThatThrownBy(() -> work.done("1", "1.1"))
          .isInstanceOf(RalphException.class)
          .hasMessageContaining(above + " is a symbolic link");
      Files.delete(above);
      Files.move(target, above);
    }
    assertThat(folder.resolve("tasks.md")).hasContent(TASKS);
    assertThat(work.done("1", "1.1").tasks().get(0).done()).isTrue();
  }
}
