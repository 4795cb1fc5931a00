package dev.ralph.tx;

import dev.ralph.core.internal.process.Answer;
import dev.ralph.core.internal.process.ProcessSpec;
import dev.ralph.log.RalphException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * Types a reference to each message, {@code @} and the file's path, into the tmux session of its
 * agent, as TX does: once nothing has moved there for a moment, as text, and then Enter. A message
 * is delivered once its reference has left the input line. Any number of processes may type into
 * one session: an option of the session says that one of them is at it, and the others wait. It
 * also says what was typed last, so that nothing is typed twice after its typist was killed; and
 * what one has pasted who was killed before Enter gets its Enter before anything else is pasted.
 * Immutable; safe for use by many threads.
 */
final class TmuxSink implements TxSink {

  /** In these steps nothing must have moved. */
  private static final List<Duration> STILL =
      List.of(Duration.ofMillis(110), Duration.ofMillis(140));

  private static final Duration LONGEST_PAUSE = Duration.ofSeconds(2);

  /** An agent that is at work for longer is asked again after a pause. */
  private static final Duration PATIENCE = Duration.ofMinutes(1);

  /** How long a terminal may take to show what was pasted. */
  private static final Duration SHOWING = Duration.ofSeconds(1);

  /** How long a terminal may take to submit its input line after Enter. */
  private static final Duration SUBMITTING = Duration.ofSeconds(1);

  /** How long a client's list of files may take to close after a blank. */
  private static final Duration CLOSING = Duration.ofMillis(300);

  private static final Duration SHOWING_STEP = Duration.ofMillis(30);

  /** A tmux that takes longer does not answer any more. */
  private static final Duration TMUX = Duration.ofSeconds(10);

  private static final Duration GRACE = Duration.ofMillis(500);

  /** More than a terminal shows. */
  private static final int MOST_SAID = 1024 * 1024;

  /**
   * The option of a session that says who is typing into it, and what was typed last: {@link
   * TmuxTyping}. All that is done to the pane is done together with a change of this option, and
   * only if it is still what was seen. So whatever a typist was at when it was killed, and even if
   * its tmux client runs on, the next one knows what is in the pane.
   */
  private static final String TYPING = "@ralph-typing";

  /** With who types behind it: the option that holds what is being typed. */
  private static final String TEXT = "@ralph-text-";

  /** So much of the end of a reference tells whether it is to be seen. */
  private static final int TAIL = 16;

  /** The most lines before that of the cursor over which a narrow terminal wraps that end. */
  private static final int WRAPPED = 3;

  private final String session;
  private final @Nullable Path socket;

  /**
   * @param socket that of the tmux server, or null for the one of this process
   */
  TmuxSink(TxAddress agent, @Nullable Path socket) {
    this.session = agent.session();
    this.socket = socket;
  }

  @Override
  public boolean isReady() throws InterruptedException {
    return tmux("has-session", "-t", "=" + session).isGood();
  }

  @Override
  public void deliver(TxSink.Delivery delivery) throws InterruptedException {
    String reference = "@" + delivery.path();
    String typist = TmuxTyping.begin();
    try {
      TmuxTyping before = awaitStill();
      while (!(delivery.isRepeat() && before.hasTyped(reference))) {
        if (delivery.isRepeat() && isUnsent(reference)) {
          swap(before, before.typed(reference), enter(typist), ""); // of one that keeps no account
          before = awaitStill();
          continue;
        }
        TmuxTyping now = before.by(typist);
        if (paste(reference, before, now)) {
          boolean interrupted = Thread.interrupted(); // what was pasted must not stay without Enter
          interrupted |= !awaitShown(squeezed(reference)).isCalm;
          TmuxTyping sent = now.typed(reference).by(typist);
          swap(now, sent, enter(typist), "");
          try {
            if (!interrupted) {
              submit(reference, sent);
            }
          } catch (InterruptedException e) {
            interrupted = true;
          } finally {
            interrupted |= Thread.interrupted();
            swap(sent, sent.by(""), forget(typist), "");
          }
          if (interrupted) {
            Thread.currentThread().interrupt();
          }
          return;
        }
        before = awaitStill();
      }
      submit(reference, before); // of a deliverer that was killed behind Enter
    } finally {
      TmuxTyping.end(typist);
    }
  }

  /**
   * Waits until a reference has left the input line. A list of files, which some clients open for
   * text that begins with {@code @}, takes Enter for itself: a blank closes the list, and a second
   * Enter submits.
   *
   * @param typing the state that the session's option must have, for keys to be pressed
   * @throws RalphException IO if the reference still stands in the line
   */
  private void submit(String reference, TmuxTyping typing) throws InterruptedException {
    if (isSubmitted(reference)) {
      return;
    }
    press("Space", typing);
    Thread.sleep(CLOSING.toMillis());
    press("Enter", typing);
    if (!isSubmitted(reference)) {
      throw RalphException.io(
          "the tmux session "
              + session
              + " does not take the message: its reference is still in the input line after Enter;"
              + " look at it by: tmux attach -t "
              + session);
    }
  }

  /** Presses a key, unless somebody else did something since. */
  private void press(String key, TmuxTyping typing) throws InterruptedException {
    swap(typing, typing, "send-keys -t '" + pane() + "' " + key, "");
  }

  /** Returns whether a reference leaves the input line within some time, and is not drawn later. */
  private boolean isSubmitted(String reference) throws InterruptedException {
    long begun = System.nanoTime();
    String before = "";
    while (true) {
      String pane = see();
      boolean isOver = System.nanoTime() - begun > SUBMITTING.toNanos();
      boolean stands = isInLine(pane, reference);
      if (isOver || !stands && pane.equals(before)) {
        return !stands;
      }
      before = pane;
      Thread.sleep(STILL.get(0).toMillis());
    }
  }

  /** Pastes a reference, unless somebody else did something since the session was looked at. */
  private boolean paste(String reference, TmuxTyping before, TmuxTyping now)
      throws InterruptedException {
    String buffer = "ralph-" + now.typist();
    return swap(
        before,
        now,
        "paste-buffer -p -d -b '" + buffer + "' -t '" + pane() + "'",
        "delete-buffer -b '" + buffer + "' ; " + forget(now.typist()),
        "set-buffer",
        "-b",
        buffer,
        reference,
        ";",
        "set-option",
        "-t",
        pane(),
        TEXT + now.typist(),
        reference,
        ";");
  }

  /**
   * Ends what somebody began who was killed or hangs, so that nothing is pasted behind it: presses
   * Enter. What can't be seen any more may have gone with the program that it was pasted into, so
   * that does not count as typed.
   */
  private void finish(TmuxTyping left) throws InterruptedException {
    String text = say("display-message", "-p", "-t", pane(), "#{" + TEXT + left.typist() + "}");
    String pasted = text.strip();
    if (pasted.isEmpty()) {
      swap(left, left.by(""), forget(left.typist()), "");
      return;
    }
    Shown shown = awaitShown(tail(squeezed(pasted)));
    swap(left, shown.isThere ? left.typed(pasted) : left.by(""), enter(left.typist()), "");
    if (!shown.isCalm) {
      throw new InterruptedException();
    }
  }

  private String enter(String typist) {
    return "send-keys -t '" + pane() + "' Enter ; " + forget(typist);
  }

  private String forget(String typist) {
    return "set-option -q -u -t '" + pane() + "' " + TEXT + typist;
  }

  /**
   * Changes the option and does something together with that, if the option still says what it said
   * before. tmux does what one command says without doing anything else in between.
   *
   * @param then what is done then
   * @param otherwise what is done if not, or nothing
   * @param first what is done before, in words that tmux does not take apart
   * @return whether the option says that now
   */
  private boolean swap(
      TmuxTyping before, TmuxTyping after, String then, String otherwise, String... first)
      throws InterruptedException {
    List<String> words = new ArrayList<>(List.of(first));
    words.addAll(
        List.of(
            "if-shell",
            "-F",
            "-t",
            pane(),
            "#{==:#{" + TYPING + "}," + before + "}",
            "set-option -t '" + pane() + "' " + TYPING + " '" + after + "' ; " + then));
    if (!otherwise.isEmpty()) {
      words.add(otherwise);
    }
    words.addAll(List.of(";", "display-message", "-p", "-t", pane(), "#{" + TYPING + "}"));
    return say(words.toArray(new String[0])).strip().equals(after.toString());
  }

  private String pane() {
    return "=" + session + ":";
  }

  // ---- looking at the pane

  /** Waits until nothing moves and nobody types, and what was begun is ended. */
  private TmuxTyping awaitStill() throws InterruptedException {
    long begun = System.nanoTime();
    Duration pause = STILL.get(0);
    while (true) {
      String first = look();
      boolean isStill = !first.isEmpty();
      for (Duration step : STILL) {
        Thread.sleep(step.toMillis());
        isStill = isStill && first.equals(look());
      }
      if (isStill) {
        String option = option(first);
        TmuxTyping typing = TmuxTyping.parse(option);
        if (typing == null) {
          say("set-option", "-u", "-t", pane(), TYPING); // nobody who types into it says that
        } else if (typing.isDone()) {
          return typing;
        } else {
          finish(typing);
        }
        continue;
      }
      if (System.nanoTime() - begun > PATIENCE.toNanos()) {
        throw RalphException.io(
            "the tmux session "
                + session
                + " has been busy, or in copy mode, for "
                + PATIENCE.toSeconds()
                + " s");
      }
      Thread.sleep(pause.toMillis());
      Duration longer = pause.multipliedBy(2);
      pause = longer.compareTo(LONGEST_PAUSE) < 0 ? longer : LONGEST_PAUSE;
    }
  }

  /**
   * Returns what is there to be seen, or an empty text where keys would go to tmux itself or
   * somebody else types.
   */
  private String look() throws InterruptedException {
    String seen = see();
    TmuxTyping typing = TmuxTyping.parse(option(seen));
    return seen.startsWith("0 ") && (typing == null || !typing.isLive()) ? seen : "";
  }

  /** Returns a line with the mode, the cursor and the option, and the lines of the pane. */
  private String see() throws InterruptedException {
    return say(
        "display-message",
        "-p",
        "-t",
        pane(),
        "#{pane_in_mode} #{cursor_x} #{cursor_y} #{" + TYPING + "}",
        ";",
        "capture-pane",
        "-p",
        "-t",
        pane());
  }

  /** Returns the option that says who types: what follows the third word of the first line. */
  private static String option(String seen) {
    String[] words = seen.split("\n", 2)[0].split(" ", 4);
    return words.length < 4 ? "" : words[3];
  }

  /**
   * Whether something is to be seen.
   *
   * @param isCalm whether the thread was not interrupted meanwhile
   */
  private record Shown(boolean isThere, boolean isCalm) {}

  /** Waits until the pane shows a text, or long enough. */
  private Shown awaitShown(String squeezed) {
    boolean isCalm = true;
    long begun = System.nanoTime();
    while (System.nanoTime() - begun < SHOWING.toNanos()) {
      try {
        if (squeezed(say("capture-pane", "-p", "-J", "-t", pane())).contains(squeezed)) {
          return new Shown(true, isCalm);
        }
        Thread.sleep(SHOWING_STEP.toMillis());
      } catch (InterruptedException e) {
        isCalm = false;
      }
    }
    return new Shown(false, isCalm);
  }

  /** Returns whether the cursor stands behind a reference, so that Enter is all that it lacks. */
  private boolean isUnsent(String reference) throws InterruptedException {
    return isInLine(look(), reference);
  }

  /** Returns whether the line of the cursor, joined with those before it, ends with a reference. */
  private static boolean isInLine(String pane, String reference) {
    String[] seen = pane.split("\n", -1);
    String[] cursor = seen[0].split(" ");
    int line = cursor.length < 3 ? -1 : 1 + Integer.parseInt(cursor[2]);
    if (line < 1 || line >= seen.length || squeezed(seen[line]).isEmpty()) {
      return false;
    }
    StringBuilder before = new StringBuilder();
    for (int i = Math.max(1, line - WRAPPED); i <= line; i++) {
      before.append(seen[i]);
    }
    return squeezed(before.toString()).endsWith(tail(squeezed(reference)));
  }

  private static String tail(String text) {
    return text.substring(Math.max(0, text.length() - TAIL));
  }

  /** A program may break lines itself, in a frame. */
  private static String squeezed(String text) {
    StringBuilder squeezed = new StringBuilder(text.length());
    text.codePoints()
        .filter(c -> !Character.isWhitespace(c) && (c < 0x2500 || c > 0x257f))
        .forEach(squeezed::appendCodePoint);
    return squeezed.toString();
  }

  // ---- tmux

  private String say(String... words) throws InterruptedException {
    Answer answer = tmux(words);
    if (!answer.isGood()) {
      throw RalphException.io(
          "tmux can't reach the session " + session + ": " + OneLine.visible(answer.output()));
    }
    return answer.output();
  }

  private Answer tmux(String... words) throws InterruptedException {
    List<String> command = new ArrayList<>(List.of("tmux", "-u"));
    if (socket != null) {
      command.addAll(List.of("-S", socket.toString()));
    }
    command.addAll(List.of(words));
    Answer answer = ProcessSpec.command(command).mergeStderr().run(TMUX, GRACE, MOST_SAID);
    if (answer.isLate()) {
      throw RalphException.io("tmux has not answered for " + TMUX.toSeconds() + " s");
    }
    return answer;
  }

  @Override
  public String toString() {
    return "tmux session " + session;
  }
}
