package dev.ralph.web.internal.page;

import dev.ralph.Iteration;
import dev.ralph.Message;
import dev.ralph.Note;
import dev.ralph.Question;
import dev.ralph.Task;
import dev.ralph.core.internal.cost.WorkOrigin;
import dev.ralph.core.internal.host.OfferedSession;
import dev.ralph.core.internal.json.JsonProfile;
import dev.ralph.core.internal.json.SessionJson;
import dev.ralph.log.Meta;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.function.ToIntFunction;
import org.jspecify.annotations.Nullable;

/** Renders the entries of a session as JSON objects for the page. Long texts are truncated. */
final class PageJson {

  /** The most characters of a text in a list. A beginning of this length is cheap to read. */
  static final int BEGINNING = JsonProfile.BEGINNING;

  private PageJson() {}

  /**
   * Renders a task.
   *
   * @param number returns the number of the task with an id, or 0 for none
   * @param isReady whether the task is ready
   */
  static Meta task(Task task, ToIntFunction<String> number, boolean isReady, Instant now) {
    List<Integer> depends = new ArrayList<>();
    for (String id : task.dependencies()) {
      depends.add(number.applyAsInt(id));
    }
    List<Integer> waits = task.awaited().stream().map(Task::number).toList();
    return SessionJson.task(task, JsonProfile.PAGE, now)
        .with("ready", isReady ? true : null)
        .with("depends", depends.isEmpty() ? null : depends)
        .with("waits", waits.isEmpty() ? null : waits);
  }

  static Meta message(Message message) {
    return SessionJson.message(message, JsonProfile.PAGE);
  }

  static Meta question(Question question) {
    return SessionJson.question(question, JsonProfile.PAGE);
  }

  static Meta note(Note note) {
    return SessionJson.note(note, JsonProfile.PAGE);
  }

  /** Renders the offer of a session to hosts, with the newest remarks of hosts. */
  static Meta offered(OfferedSession offered) {
    return Meta.of("offer", cut(offered.offer().toString(), BEGINNING))
        .with("since", time(offered.since()))
        .with("ended", beginning(offered.ended()))
        .with(
            "remarks",
            SessionParts.newest(offered.remarks(), 0, SessionParts.WINDOW).stream()
                .map(
                    remark ->
                        Meta.of("time", time(remark.time()))
                            .with("host", beginning(remark.host()))
                            .with("text", beginning(remark.text())))
                .toList());
  }

  /**
   * Renders an iteration.
   *
   * @param isCutOff whether the iteration ended with its loop, without a record of its end
   * @param origin the facts from its record, or null if unknown
   * @param number returns the number of the task with an id, or 0 for none
   */
  static Meta iteration(
      Iteration iteration,
      boolean isCutOff,
      @Nullable WorkOrigin origin,
      ToIntFunction<String> number) {
    return SessionJson.iteration(
            iteration,
            isCutOff ? Iteration.Status.INTERRUPTED : iteration.status(),
            taskOf(iteration, number),
            JsonProfile.PAGE)
        .with("client", origin == null ? null : beginning(origin.client()))
        .with("model", origin == null ? null : beginning(origin.model()));
  }

  /** Returns the number of an iteration's task, or null for none. */
  static @Nullable Integer taskOf(Iteration iteration, ToIntFunction<String> number) {
    String task = iteration.task();
    int found = task == null ? 0 : number.applyAsInt(task);
    return found == 0 ? null : found;
  }

  static String time(Instant time) {
    return time.toString();
  }

  static @Nullable String beginning(@Nullable String text) {
    return text == null ? null : cut(text, BEGINNING);
  }

  /** Returns a text, or its beginning and an ellipsis. */
  static String cut(String text, int most) {
    if (text.length() <= most) {
      return text;
    }
    return text.substring(0, Character.isHighSurrogate(text.charAt(most - 1)) ? most - 1 : most)
        + "…";
  }

  /** Renders a text as a JSON string. */
  static String string(String text) {
    String object = Meta.of("t", text).json();
    return object.substring("{\"t\":".length(), object.length() - 1);
  }
}
