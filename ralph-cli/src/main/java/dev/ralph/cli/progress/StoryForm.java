package dev.ralph.cli.progress;

import dev.ralph.LoopResult;
import dev.ralph.StopReason;
import dev.ralph.TaskList;
import dev.ralph.cli.call.Json;
import dev.ralph.cli.session.ChangeCount;
import dev.ralph.cli.text.SafeText;
import dev.ralph.log.Meta;
import dev.ralph.openspec.internal.ChangeLoop;
import dev.ralph.openspec.internal.Story;
import java.util.List;
import java.util.Optional;

/** Renders the stories of a change during a loop. */
final class StoryForm {

  private final ChangeLoop loop;

  /**
   * The number of the story, saved at its start, because the next story may begin before the end is
   * shown.
   */
  private String place = "";

  StoryForm(ChangeLoop loop) {
    this.loop = loop;
  }

  /** Returns the heading at the start of a story's loop. */
  String begun() {
    Optional<Story> story = loop.story();
    List<String> ids = loop.stories().stream().map(Story::id).toList();
    place =
        story.map(each -> "story " + (ids.indexOf(each.id()) + 1) + " of " + ids.size()).orElse("");
    return story
        .map(
            each ->
                "Story "
                    + (each.title().isEmpty() ? each.id() : each.id() + ". " + each.title())
                    + " ("
                    + (ids.indexOf(each.id()) + 1)
                    + " of "
                    + ids.size()
                    + ")\n")
        .map(SafeText::text)
        .orElse("");
  }

  /** Returns the line at the end of a story's loop. */
  String ended(LoopResult result) {
    return result.reason() == StopReason.COMPLETED ? place + " is complete\n" : "";
  }

  /** Returns the number of the story as text. */
  String place() {
    return place;
  }

  /** Returns the tasks of the session with the progress of the whole change. */
  BuildLines.Tasks tasks(TaskList known) {
    ChangeCount count = ChangeCount.of(loop.stories(), known);
    return new BuildLines.Tasks(known, count.inWords(), RunSummary.Tasks.of(count, known));
  }

  /** Returns the end of a change as a JSON object in a single line. */
  static String json(String session, LoopResult result, Meta summary) {
    return Json.of("change_ended")
        .with("session", session)
        .with("reason", result.reason().word())
        .with("iterations", result.iterations())
        .with("detail", result.detail())
        .with("summary", summary)
        .json();
  }
}
