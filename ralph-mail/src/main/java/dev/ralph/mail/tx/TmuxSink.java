package dev.ralph.mail.tx;

import dev.ralph.RalphException;
import dev.ralph.core.internal.process.ManagedProcess;
import dev.ralph.core.internal.process.ProcessExit;
import dev.ralph.core.internal.process.ProcessSpec;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.atomic.AtomicLong;
import org.jspecify.annotations.Nullable;

/**
 * Types a reference to each message, {@code @} and the file's path, into the tmux session of its
 * agent, as TX does: once nothing has moved there for a moment, as text, and then Enter. What may
 * have been typed there before is looked for first, and not typed twice. Any number of processes
 * may type into one session: an option of the session says that one of them is at it, and the
 * others wait. Immutable; safe for use by many threads.
 */
public final class TmuxSink implements TxSink {

  /** In these steps nothing must have moved. */
  private static final List<Duration> STILL =
      List.of(Duration.ofMillis(110), Duration.ofMillis(140));

  private static final Duration LONGEST_PAUSE = Duration.ofSeconds(2);

  /** An agent that is at work for longer is asked again after a pause. */
  private static final Duration PATIENCE = Duration.ofMinutes(1);

  /** How long a terminal may take to show what was pasted. */
  private static final Duration SHOWING = Duration.ofSeconds(1);

  private static final Duration SHOWING_STEP = Duration.ofMillis(30);

  /** A tmux that takes longer does not answer any more. */
  private static final Duration TMUX = Duration.ofSeconds(10);

  /** The option that is set from the pasting to the Enter, to when that began and by whom. */
  private static final String TYPING = "@ralph-typing";

  /** Who says for longer that it types was killed. */
  private static final Duration LONGEST_TYPING = Duration.ofSeconds(15);

  private static final AtomicLong TYPED = new AtomicLong();

  /** So many lines above the visible ones are looked through for what was typed before. */
  private static final String ABOVE = "-2000";

  /** So much of the end of a reference tells whether the cursor stands behind it. */
  private static final int TAIL = 16;

  private final String session;
  private final @Nullable Path socket;

  private TmuxSink(String session, @Nullable Path socket) {
    this.session = session;
    this.socket = socket;
  }

  /** Returns the sink for an agent, on the tmux server of this process. */
  public static TmuxSink of(TxAddress agent) {
    return new TmuxSink(session(agent), null);
  }

  /** Returns this sink, on the tmux server with that socket. */
  public TmuxSink on(Path socket) {
    return new TmuxSink(session, Objects.requireNonNull(socket, "socket"));
  }

  /**
   * Returns the name of the session in which TX runs an agent: that of the mesh where both have the
   * same, else both with a hyphen between. So two agents can have the same session, such as {@code
   * a-b/c} and {@code a/b-c}.
   */
  public static String session(TxAddress agent) {
    return agent.mesh().equals(agent.agent()) ? agent.mesh() : agent.mesh() + "-" + agent.agent();
  }

  /** Returns the name of the session. */
  public String session() {
    return session;
  }

  @Override
  public boolean isReady() throws InterruptedException {
    return tmux(new StringBuilder(), "has-session", "-t", "=" + session).isSuccess();
  }

  @Override
  public void deliver(TxDelivery delivery) throws InterruptedException {
    String reference = "@" + delivery.path();
    boolean pasted = false;
    while (!pasted) {
      String still = awaitStill();
      if (delivery.isRepeat()
          && squeezed(say("capture-pane", "-p", "-J", "-S", ABOVE, "-t", pane()))
              .contains(squeezed(reference))) {
        if (isUnsent(reference)) {
          enter();
        }
        return;
      }
      pasted = paste(reference, typing(still));
    }
    boolean interrupted = awaitShown(reference);
    enter();
    if (interrupted) {
      Thread.currentThread().interrupt();
    }
  }

  /**
   * Pastes a reference, unless somebody has begun to type since the session was looked at.
   *
   * @param before what the option was then
   * @return whether it was pasted
   */
  private boolean paste(String reference, String before) throws InterruptedException {
    String mine =
        System.currentTimeMillis()
            + "-"
            + ProcessHandle.current().pid()
            + "-"
            + TYPED.incrementAndGet();
    String buffer = "ralph-" + ProcessHandle.current().pid() + "-" + session;
    // tmux does what one command says without doing anything else in between.
    String now =
        say(
            "set-buffer",
            "-b",
            buffer,
            reference,
            ";",
            "if-shell",
            "-F",
            "-t",
            pane(),
            "#{==:#{" + TYPING + "}," + before + "}",
            "set-option -t '"
                + pane()
                + "' "
                + TYPING
                + " "
                + mine
                + " ; paste-buffer -p -d -b '"
                + buffer
                + "' -t '"
                + pane()
                + "'",
            ";",
            "display-message",
            "-p",
            "-t",
            pane(),
            "#{" + TYPING + "}");
    return now.strip().equals(mine);
  }

  private String pane() {
    return "=" + session + ":";
  }

  private void enter() throws InterruptedException {
    say("send-keys", "-t", pane(), "Enter", ";", "set-option", "-u", "-t", pane(), TYPING);
  }

  // ---- looking at the pane

  /** Waits until nothing moves and nobody types; returns what is there to be seen. */
  private String awaitStill() throws InterruptedException {
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
        return first;
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
    String seen =
        say(
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
    return seen.startsWith("0 ") && !isLive(typing(seen)) ? seen : "";
  }

  /** Returns the option that says who types: the last word of the first line, or nothing. */
  private static String typing(String seen) {
    String[] words = seen.split("\n", 2)[0].split(" ");
    return words.length < 4 ? "" : words[3];
  }

  private static boolean isLive(String typing) {
    try {
      long begun = Long.parseLong(typing.split("-", 2)[0]);
      return Math.abs(System.currentTimeMillis() - begun) < LONGEST_TYPING.toMillis();
    } catch (NumberFormatException nobody) {
      return false;
    }
  }

  /** Waits until the pane shows a reference, or long enough; returns whether it was interrupted. */
  private boolean awaitShown(String reference) throws InterruptedException {
    // What was pasted must not stay there without Enter.
    boolean interrupted = Thread.interrupted();
    String wanted = squeezed(reference);
    long begun = System.nanoTime();
    while (System.nanoTime() - begun < SHOWING.toNanos()) {
      try {
        if (squeezed(say("capture-pane", "-p", "-J", "-t", pane())).contains(wanted)) {
          break;
        }
        Thread.sleep(SHOWING_STEP.toMillis());
      } catch (InterruptedException e) {
        interrupted = true;
      }
    }
    return interrupted;
  }

  /** Returns whether the cursor stands behind a reference, so that Enter is all that it lacks. */
  private boolean isUnsent(String reference) throws InterruptedException {
    String[] seen = look().split("\n", -1);
    String[] cursor = seen[0].split(" ");
    int line = cursor.length < 3 ? -1 : 1 + Integer.parseInt(cursor[2]);
    if (line < 1 || line >= seen.length || squeezed(seen[line]).isEmpty()) {
      return false;
    }
    String before = squeezed((line > 1 ? seen[line - 1] : "") + seen[line]);
    String wanted = squeezed(reference);
    return before.endsWith(wanted.substring(Math.max(0, wanted.length() - TAIL)));
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
    StringBuilder said = new StringBuilder();
    ProcessExit exit = tmux(said, words);
    if (!exit.isSuccess()) {
      throw RalphException.io(
          "tmux can't reach the session " + session + ": " + OneLine.visible(said.toString()));
    }
    return said.toString();
  }

  private ProcessExit tmux(StringBuilder said, String... words) throws InterruptedException {
    List<String> command = new ArrayList<>(List.of("tmux", "-u"));
    if (socket != null) {
      command.addAll(List.of("-S", socket.toString()));
    }
    command.addAll(List.of(words));
    try (ManagedProcess tmux =
        ManagedProcess.start(
            ProcessSpec.command(command).mergeStderr().onStdout(said::append).build())) {
      return tmux.await(TMUX)
          .orElseThrow(
              () -> RalphException.io("tmux has not answered for " + TMUX.toSeconds() + " s"));
    }
  }

  @Override
  public String toString() {
    return "tmux session " + session;
  }
}
