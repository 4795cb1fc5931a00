package dev.ralph.cli.loop;

import dev.ralph.LoopResult;
import dev.ralph.StopReason;
import dev.ralph.TaskList;
import dev.ralph.cli.call.Json;
import dev.ralph.cli.session.ChangeCount;
import dev.ralph.cli.text.SafeText;
import dev.ralph.openspec.ChangeLoop;
import dev.ralph.openspec.Story;
import java.util.List;
import java.util.Optional;

/** How the stories of a change are shown while they are worked on. */
final class StoryForm {

  private final ChangeLoop loop;

  /** Where the story stands, as of its beginning: its end may be told after the next has begun. */
  private String place = "";

  StoryForm(ChangeLoop loop) {
    this.loop = loop;
  }

  /** Returns what is said when a story's loop begins. */
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

  /** Returns what is said when a story's loop has ended. */
  String ended(LoopResult result) {
    return result.reason() == StopReason.COMPLETED ? place + " is complete\n" : "";
  }

  /** Returns which story it is, in a few words. */
  String place() {
    return place;
  }

  /** Returns how many tasks of the whole change are done. */
  String tasksDone(TaskList known) {
    return ChangeCount.of(loop.stories(), known).inWords();
  }

  /** Returns how a change has ended, as an object on one line. */
  static String json(String session, LoopResult result) {
    return Json.of("change_ended")
        .with("session", session)
        .with("reason", result.reason().word())
        .with("iterations", result.iterations())
        .with("detail", result.detail())
        .json();
  }
}
