package dev.ralph.cli.agent;

import dev.ralph.cli.call.Invocation;
import dev.ralph.cli.text.Times;
import dev.ralph.log.Meta;
import dev.ralph.openspec.internal.Change;
import dev.ralph.openspec.internal.ChangeSession;
import dev.ralph.openspec.internal.Learning;
import dev.ralph.openspec.internal.Story;
import dev.ralph.openspec.internal.StoryTask;
import dev.ralph.openspec.internal.Verification;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/**
 * The answers of the commands for agents, with the members of ralphtool. See {@code
 * docs/openspec.md}.
 */
final class AgentForm {

  private AgentForm() {}

  /** Adds a member whose null value is written, unlike in Meta. */
  private static Meta nullable(Meta object, String key, @Nullable String value) {
    if (value != null) {
      return object.with(key, value);
    }
    String json = object.json();
    return Meta.parse(json.substring(0, json.length() - 1) + ",\"" + key + "\":null}");
  }

  private static <T> List<Meta> all(List<T> things, Function<T, Meta> form) {
    List<Meta> all = new ArrayList<>();
    for (T thing : things) {
      all.add(form.apply(thing));
    }
    return all;
  }

  /** Prints a session that now owns the change, and the open work. */
  static void session(Invocation call, ChangeSession work) {
    Change change = work.change();
    Meta answer =
        Meta.of("session_id", work.name())
            .with("change_name", change.name())
            .with("stories", all(change.stories(), AgentForm::story))
            .with("problems", change.problems().stream().map(Change.Problem::toString).toList());
    call.print(nullable(answer, "story_id", work.story().orElse(null)).json());
  }

  private static Meta story(Story story) {
    return Meta.of("id", story.id())
        .with("title", story.title())
        .with("tasks_total", story.tasks().size())
        .with("tasks_done", story.done());
  }

  static void sessions(Invocation call, List<ChangeSession> sessions) {
    call.print(Meta.of("sessions", all(sessions, AgentForm::listed)).json());
  }

  private static Meta listed(ChangeSession work) {
    Meta named = Meta.of("session_id", work.name()).with("change_name", work.changeName());
    return nullable(named, "story_id", work.story().orElse(null))
        .with("locked", work.isLive())
        .with("ended", work.hasEnded());
  }

  static void nextStory(Invocation call, @Nullable Story next) {
    Meta answer = Meta.of("complete", next == null);
    answer = nullable(answer, "story_id", next == null ? null : next.id());
    call.print(nullable(answer, "story_title", next == null ? null : next.title()).json());
  }

  /** Prints the end of a session. */
  static void ended(Invocation call, int learnings) {
    call.print(Meta.of("success", true).with("learnings_written", learnings).json());
  }

  static void context(
      Invocation call, Change change, Story story, List<Learning> learnings, Verification verify) {
    List<String> patterns = new ArrayList<>();
    for (Learning learning : learnings) {
      if (learning.story() != null && !learning.story().equals(story.id())) {
        patterns.add(learning.text());
      }
    }
    call.print(
        Meta.of(
                "story",
                Meta.of("id", story.id()).with("title", story.title()).with("description", ""))
            .with("tasks", all(story.tasks(), AgentForm::task))
            .with("proposal", change.proposal().orElse(""))
            .with("design", change.design().orElse(""))
            .with("requirements", all(change.requirements(), AgentForm::requirement))
            .with("scenarios", all(change.scenarios(), AgentForm::scenario))
            .with("learnings", all(learnings, AgentForm::learning))
            .with("patterns", patterns)
            .with(
                "verify",
                Meta.of("checks", verify.checks())
                    .with("tests", String.join(" && ", verify.tests())))
            .json());
  }

  private static Meta task(StoryTask task) {
    return Meta.of("id", task.id())
        .with("description", task.description())
        .with("complete", task.done())
        .with("text", task.text());
  }

  private static Meta requirement(Change.Requirement requirement) {
    return Meta.of("operation", requirement.operation())
        .with("title", requirement.title())
        .with("text", requirement.text());
  }

  private static Meta scenario(Change.Scenario scenario) {
    return Meta.of("name", scenario.name())
        .with("given", scenario.given())
        .with("when", scenario.when())
        .with("then", scenario.then());
  }

  private static Meta learning(Learning learning) {
    return nullable(Meta.of("description", learning.text()), "task_id", learning.task())
        .with("timestamp", Times.format(learning.learned()));
  }

  /**
   * Prints a ticked task.
   *
   * @param already whether the task was ticked before
   */
  static void done(Invocation call, String task, Story story, boolean already) {
    List<String> remaining = new ArrayList<>();
    for (StoryTask each : story.tasks()) {
      if (!each.done()) {
        remaining.add(each.id());
      }
    }
    call.print(
        Meta.of("success", true)
            .with("task_id", task)
            .with("remaining", remaining)
            .with("story_complete", remaining.isEmpty())
            .with("already_done", already)
            .json());
  }

  /**
   * Prints the progress of a change.
   *
   * @param story the current story, or null
   */
  static void status(Invocation call, Change change, @Nullable Story story) {
    int done = 0;
    for (Story each : change.stories()) {
      done += each.isComplete() ? 1 : 0;
    }
    int total = change.stories().size();
    call.print(
        Meta.of(
                "story",
                Meta.of("id", story == null ? "" : story.id())
                    .with("tasks_done", story == null ? 0 : story.done())
                    .with("tasks_total", story == null ? 0 : story.tasks().size()))
            .with("change", Meta.of("stories_done", done).with("stories_total", total))
            .with("story_complete", story != null && story.isComplete())
            .with("change_complete", change.hasTasks() && done == total)
            .json());
  }

  static void learned(Invocation call, String text, @Nullable String task, int total) {
    Meta answer = Meta.of("success", true).with("learning", text);
    call.print(nullable(answer, "task_id", task).with("total_learnings", total).json());
  }
}
