package dev.ralph.tx;

import dev.ralph.core.internal.process.CommandResult;
import dev.ralph.core.internal.process.ProcessSpec;
import dev.ralph.log.RalphException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.locks.LockSupport;
import org.jspecify.annotations.Nullable;

/**
 * Types a reference to each message into the tmux session of its agent, as TX does. The reference
 * is {@code @} and the path of the file. The sink waits until the pane is still, pastes the
 * reference as text, and then presses Enter. A message is delivered once its reference has left the
 * input line.
 *
 * <p>Any number of processes may type into one session. An option of the session names the typing
 * process, and the others wait. The option also records the last references, so a reference is not
 * typed twice after its typist was killed. If a typist was killed between paste and Enter, the next
 * typist presses Enter first. Immutable; safe for use by many threads.
 */
final class TmuxSink implements TxSink {

  /** Intervals of the checks that the pane is still. */
  private static final List<Duration> STILL =
      List.of(Duration.ofMillis(110), Duration.ofMillis(140));

  private static final Duration LONGEST_PAUSE = Duration.ofSeconds(2);

  /** Time after which a busy agent is reported, and the delivery is retried after a pause. */
  private static final Duration PATIENCE = Duration.ofMinutes(1);

  /** Maximum time for a program to show something in an empty pane. */
  private static final Duration STARTING = Duration.ofSeconds(3);

  /** Maximum time for a terminal to show a pasted text. */
  private static final Duration SHOWING = Duration.ofSeconds(1);

  /** Maximum time for a terminal to submit its input line after Enter. */
  private static final Duration SUBMITTING = Duration.ofSeconds(1);

  /** Maximum time for a busy client to submit its input line after the last key. */
  private static final Duration ACCEPTING = Duration.ofSeconds(5);

  /** Maximum time for a client's list of files to close after a blank. */
  private static final Duration CLOSING = Duration.ofMillis(300);

  private static final Duration SHOWING_STEP = Duration.ofMillis(30);

  /** Time after which tmux counts as unresponsive. */
  private static final Duration TMUX = Duration.ofSeconds(10);

  private static final Duration GRACE = Duration.ofMillis(500);

  /** Maximum output of tmux in bytes, more than a terminal shows. */
  private static final int MOST_SAID = 1024 * 1024;

  /**
   * The session option with the present typist and the last references: {@link TmuxTyping}. Each
   * action on the pane is executed together with a change of this option, and only if the option is
   * unchanged since it was read. Therefore the next typist knows the content of the pane, no matter
   * when the predecessor was killed. This holds even if the tmux client of the predecessor still
   * runs.
   */
  private static final String TYPING = "@ralph-typing";

  /** Prefix of the option with the text that is being typed. The name of the typist follows. */
  private static final String TEXT = "@ralph-text-";

  /** The number of characters at the end of a reference that identify it in the pane. */
  private static final int TAIL = 16;

  /**
   * The maximum number of lines above the cursor to search for these characters, which a narrow
   * terminal wraps.
   */
  private static final int WRAPPED = 3;

  private final String session;
  private final @Nullable Path socket;

  /**
   * Creates a sink.
   *
   * @param socket the socket of the tmux server, or null for the server of this process
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
    boolean wasReplaced = false;
    try {
      TmuxTyping before = awaitStill();
      while (!(delivery.isRepeat() && before.hasTyped(reference))) {
        if (delivery.isRepeat() && isUnsent(reference)) {
          swap(before, before.typed(reference), enter(typist), ""); // typed without the option
          before = awaitStill();
          continue;
        }
        String prompt = beforeCursor(readPane());
        if (paste(reference, before, before.by(typist))) {
          if (send(reference, prompt, wasReplaced, before, typist)) {
            return;
          }
          if (wasReplaced) {
            throw notAccepted("the client replaced the reference");
          }
          wasReplaced = true;
        }
        before = awaitStill();
      }
      submit(reference, null, before); // by a typist that was killed after Enter
    } finally {
      TmuxTyping.end(typist);
    }
  }

  /**
   * Presses Enter after a paste, and waits until the reference has left the input line.
   *
   * @param prompt the input line before the paste
   * @param isListOpen whether to type a blank before Enter, which closes a list of files
   * @param before the state of the session's option before the paste, restored if the reference was
   *     replaced
   * @return false if the client has replaced the reference; the input line is now empty
   */
  private boolean send(
      String reference, String prompt, boolean isListOpen, TmuxTyping before, String typist)
      throws InterruptedException {
    TmuxTyping now = before.by(typist);
    boolean interrupted = Thread.interrupted(); // after a paste, Enter must follow
    interrupted |= !awaitShown(squeezed(reference)).isCalm;
    if (isListOpen) {
      swap(now, now, "send-keys -t '" + pane() + "' Space", "");
      LockSupport.parkNanos(CLOSING.toNanos());
    }
    TmuxTyping sent = now.typed(reference).by(typist);
    TmuxTyping after = sent.by("");
    swap(now, sent, enter(typist), "");
    try {
      if (!interrupted && !submit(reference, prompt, sent)) {
        after = before;
      }
    } catch (InterruptedException e) {
      interrupted = true;
    } finally {
      interrupted |= Thread.interrupted();
      swap(sent, after, forget(typist), "");
    }
    if (interrupted) {
      Thread.currentThread().interrupt();
    }
    return after != before;
  }

  /**
   * Waits until a reference has left the input line. Some clients open a list of files for text
   * that begins with {@code @}, and this list consumes Enter. So a blank closes the list, and a
   * second Enter submits the line. If Enter has replaced the reference by an item of the list, the
   * input line is cleared.
   *
   * @param prompt the input line before the paste, or null if unknown
   * @param typing the required state of the session's option; keys are pressed only in this state
   * @return false if the client has replaced the reference; the input line is now empty
   * @throws RalphException IO if the reference is still in the line
   */
  private boolean submit(String reference, @Nullable String prompt, TmuxTyping typing)
      throws InterruptedException {
    if (isSubmitted(reference, prompt, SUBMITTING)) {
      return true;
    }
    String line = readPane();
    if (isInLine(line, reference)) {
      press("Space", typing);
      // A client reads keys in order, so a visible blank shows that it has processed the first
      // Enter.
      String next = awaitMovedCursor(line);
      if (next != null && isInLine(next, reference)) {
        Thread.sleep(CLOSING.toMillis());
        press("Enter", typing);
      }
      if (isSubmitted(reference, prompt, ACCEPTING)) {
        return true;
      }
    }
    if (isReplaced(readPane(), reference, prompt)) {
      press("C-u", typing);
      if (isSubmitted(reference, prompt, ACCEPTING)) {
        return false;
      }
    }
    throw notAccepted("the reference is still in the input line after Enter");
  }

  private RalphException notAccepted(String reason) {
    return RalphException.io(
        "the tmux session "
            + session
            + " did not accept the message: "
            + reason
            + "; check with: tmux attach -t "
            + session);
  }

  /** Presses a key, unless another process has changed the option. */
  private void press(String key, TmuxTyping typing) throws InterruptedException {
    swap(typing, typing, "send-keys -t '" + pane() + "' " + key, "");
  }

  /** Returns whether the input line becomes empty in time and stays empty. */
  private boolean isSubmitted(String reference, @Nullable String prompt, Duration limit)
      throws InterruptedException {
    long begun = System.nanoTime();
    String before = "";
    while (true) {
      String pane = readPane();
      boolean isOver = System.nanoTime() - begun > limit.toNanos();
      boolean stands = isInLine(pane, reference) || isReplaced(pane, reference, prompt);
      if (isOver || !stands && pane.equals(before)) {
        return !stands;
      }
      before = pane;
      Thread.sleep(STILL.get(0).toMillis());
    }
  }

  /** Waits until the cursor has moved, and returns the pane; null at the timeout. */
  private @Nullable String awaitMovedCursor(String before) throws InterruptedException {
    long begun = System.nanoTime();
    while (System.nanoTime() - begun < ACCEPTING.toNanos()) {
      String pane = readPane();
      if (!cursor(pane).equals(cursor(before))) {
        return pane;
      }
      Thread.sleep(SHOWING_STEP.toMillis());
    }
    return null;
  }

  /** Pastes a reference, unless another process has changed the option since it was read. */
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
   * Presses Enter for a killed or hanging typist, to keep later text separate from the typist's
   * text. A text is recorded as typed only if the pane shows the text. Otherwise the text may have
   * been lost with the program that received the paste.
   */
  private void finish(TmuxTyping left) throws InterruptedException {
    String text = ask("display-message", "-p", "-t", pane(), "#{" + TEXT + left.typist() + "}");
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
   * Changes the option and executes a command in one step, if the option is unchanged. tmux
   * executes a command line without interruption.
   *
   * @param then the command after the change
   * @param otherwise the command if the option has changed, or empty
   * @param first a command to execute before, as words that tmux does not split
   * @return whether the option has the new value afterwards
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
    return ask(words.toArray(new String[0])).strip().equals(after.toString());
  }

  private String pane() {
    return "=" + session + ":";
  }

  // ---- looking at the pane

  /** Waits until the pane is still and no process types. Completes the input of a killed typist. */
  private TmuxTyping awaitStill() throws InterruptedException {
    long begun = System.nanoTime();
    Duration pause = STILL.get(0);
    while (true) {
      String first = readCalmPane();
      boolean isStarting = isBlank(first) && System.nanoTime() - begun < STARTING.toNanos();
      boolean isStill = !first.isEmpty() && !isStarting;
      for (Duration step : STILL) {
        Thread.sleep(step.toMillis());
        isStill = isStill && first.equals(readCalmPane());
      }
      if (isStill) {
        String option = option(first);
        TmuxTyping typing = TmuxTyping.parse(option);
        if (typing == null) {
          ask("set-option", "-u", "-t", pane(), TYPING); // not written by a typist
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
   * Returns the visible content, or an empty text if keys would go to tmux itself, another process
   * types, or a full-screen program has not drawn its screen.
   */
  private String readCalmPane() throws InterruptedException {
    String seen = readPane();
    TmuxTyping typing = TmuxTyping.parse(option(seen));
    boolean isReady = seen.startsWith("00 ") || seen.startsWith("01 ") && !isBlank(seen);
    return isReady && (typing == null || !typing.isLive()) ? seen : "";
  }

  /** Returns whether a pane shows no character. */
  private static boolean isBlank(String seen) {
    int lines = seen.indexOf('\n');
    return lines < 0 || seen.substring(lines).isBlank();
  }

  /**
   * Returns a line with the mode and the screen, the cursor, and the option, followed by the lines
   * of the pane.
   */
  private String readPane() throws InterruptedException {
    return ask(
        "display-message",
        "-p",
        "-t",
        pane(),
        "#{pane_in_mode}#{alternate_on} #{cursor_x} #{cursor_y} #{" + TYPING + "}",
        ";",
        "capture-pane",
        "-p",
        "-t",
        pane());
  }

  /** Returns the column and row of the cursor. */
  private static List<String> cursor(String pane) {
    String[] words = pane.split("\n", 2)[0].split(" ", 4);
    return words.length < 3 ? List.of() : List.of(words[1], words[2]);
  }

  /** Returns the option from the first line, where it follows the third word. */
  private static String option(String seen) {
    String[] words = seen.split("\n", 2)[0].split(" ", 4);
    return words.length < 4 ? "" : words[3];
  }

  /**
   * The result of waiting for a text.
   *
   * @param isThere whether the pane shows the text
   * @param isCalm whether the thread was not interrupted meanwhile
   */
  private record Shown(boolean isThere, boolean isCalm) {}

  /** Waits until the pane shows a text, or until the timeout. */
  private Shown awaitShown(String squeezed) {
    boolean isCalm = true;
    long begun = System.nanoTime();
    while (System.nanoTime() - begun < SHOWING.toNanos()) {
      try {
        if (squeezed(ask("capture-pane", "-p", "-J", "-t", pane())).contains(squeezed)) {
          return new Shown(true, isCalm);
        }
        Thread.sleep(SHOWING_STEP.toMillis());
      } catch (InterruptedException e) {
        isCalm = false;
      }
    }
    return new Shown(false, isCalm);
  }

  /** Returns whether the cursor is behind a reference, and only Enter is missing. */
  private boolean isUnsent(String reference) throws InterruptedException {
    return isInLine(readCalmPane(), reference);
  }

  /** Returns whether the cursor's line, joined with the lines above, ends with a reference. */
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

  /** Returns whether the input line contains another reference, as an item of a client's list. */
  private static boolean isReplaced(String pane, String reference, @Nullable String prompt) {
    return prompt != null
        && !isInLine(pane, reference)
        && beforeCursor(pane).startsWith(prompt + "@");
  }

  /** Returns the squeezed text before the cursor in its line. */
  private static String beforeCursor(String pane) {
    String[] seen = pane.split("\n", -1);
    String[] cursor = seen[0].split(" ");
    int line = cursor.length < 3 ? 0 : 1 + Integer.parseInt(cursor[2]);
    if (line < 1 || line >= seen.length) {
      return "";
    }
    String text = seen[line];
    return squeezed(text.substring(0, Math.min(text.length(), Integer.parseInt(cursor[1]))));
  }

  private static String tail(String text) {
    return text.substring(Math.max(0, text.length() - TAIL));
  }

  /**
   * Removes white space and frame characters, because a program may wrap lines itself in a frame.
   */
  private static String squeezed(String text) {
    StringBuilder squeezed = new StringBuilder(text.length());
    text.codePoints()
        .filter(c -> !Character.isWhitespace(c) && (c < 0x2500 || c > 0x257f))
        .forEach(squeezed::appendCodePoint);
    return squeezed.toString();
  }

  // ---- tmux

  private String ask(String... words) throws InterruptedException {
    CommandResult answer = tmux(words);
    if (!answer.isGood()) {
      throw RalphException.io(
          "tmux cannot reach the session " + session + ": " + OneLine.visible(answer.output()));
    }
    return answer.output();
  }

  private CommandResult tmux(String... words) throws InterruptedException {
    List<String> command = new ArrayList<>(List.of("tmux", "-u"));
    if (socket != null) {
      command.addAll(List.of("-S", socket.toString()));
    }
    command.addAll(List.of(words));
    CommandResult answer = ProcessSpec.command(command).mergeStderr().run(TMUX, GRACE, MOST_SAID);
    if (answer.isLate()) {
      throw RalphException.io("no answer from tmux within " + TMUX.toSeconds() + " s");
    }
    return answer;
  }

  @Override
  public String toString() {
    return "tmux session " + session;
  }
}
