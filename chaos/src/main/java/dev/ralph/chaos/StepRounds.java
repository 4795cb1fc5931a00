package dev.ralph.chaos;

import dev.ralph.Ralph;
import dev.ralph.Session;
import dev.ralph.StepCodec;
import java.io.IOException;
import java.lang.ProcessBuilder.Redirect;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.SplittableRandom;
import java.util.concurrent.TimeUnit;

/**
 * Processes that ask for the same steps and are killed while they do, until one after the other has
 * seen all of them done.
 */
final class StepRounds {

  private static final int STEPPERS = 3;
  private static final int KILLED = 128 + 9;

  private StepRounds() {}

  /**
   * What came of it.
   *
   * @param kills how many processes were killed
   * @param halfDone how often a step was half done, and run again
   * @param repeated how many requests came a second time for an effect
   */
  record Figures(int kills, int halfDone, int repeated) {}

  /**
   * Runs them.
   *
   * @param folder where goes what the processes say
   * @throws AssertionError if an effect is missing, a step was begun twice as if for the first
   *     time, or a result is not the one of the effect
   */
  static Figures run(String store, Path folder, int steps, long seed)
      throws IOException, InterruptedException {
    SplittableRandom random = new SplittableRandom(seed);
    int kills = 0;
    try (StepTarget target = new StepTarget(random.nextLong())) {
      List<Process> running = new ArrayList<>();
      try {
        for (int i = 0; i < STEPPERS; i++) {
          running.add(start(store, folder, i, target, steps, random));
        }
        for (int i = 0; i < STEPPERS; i++) {
          while (ended(running.get(i)) == KILLED) {
            kills++;
            running.set(i, start(store, folder, i, target, steps, random));
          }
        }
      } finally {
        WriterProcesses.kill(running);
      }
      Map<String, String> effects = target.effects();
      for (int i = 0; i < STEPPERS; i++) {
        checkSaid(said(folder, i), effects);
      }
      checkKept(store, steps, effects);
      List<String> asked = target.asked();
      // A step that was begun by a process which was killed before it asked is never new to others.
      if (new HashSet<>(asked).size() != asked.size()) {
        throw new AssertionError("steps that were begun twice as if for the first time: " + asked);
      }
      return new Figures(kills, target.askedAgain(), target.repeated());
    }
  }

  private static Process start(
      String store, Path folder, int stepper, StepTarget target, int steps, SplittableRandom random)
      throws IOException {
    return Jvm.builder(
            List.of(), Stepper.class, store, "" + target.port(), "" + steps, "" + random.nextLong())
        .redirectOutput(Redirect.appendTo(said(folder, stepper).toFile()))
        .redirectError(Redirect.INHERIT)
        .start();
  }

  private static Path said(Path folder, int stepper) {
    return folder.resolve("stepper-" + stepper);
  }

  /** Waits until the process has ended, and returns whether it was killed or did all. */
  private static int ended(Process stepper) throws InterruptedException {
    if (!stepper.waitFor(2, TimeUnit.MINUTES)) {
      throw new AssertionError("a stepper does not end");
    }
    int code = stepper.exitValue();
    if (code != 0 && code != KILLED) {
      throw new AssertionError("a stepper failed with " + code);
    }
    return code;
  }

  private static void checkSaid(Path file, Map<String, String> effects) throws IOException {
    String said = Files.readString(file, StandardCharsets.UTF_8);
    // A process that is killed may leave a piece of a line, which the next one goes on with.
    for (String line : said.split("\n")) {
      int name = line.lastIndexOf("step-");
      String[] words = line.substring(Math.max(0, name)).split(" ");
      if (words.length == 2 && !words[1].equals(effects.get(words[0]))) {
        throw new AssertionError(line + ", but the effect is " + effects.get(words[0]));
      }
    }
  }

  private static void checkKept(String store, int steps, Map<String, String> effects) {
    Map<String, String> kept = new HashMap<>();
    try (Ralph ralph = Ralph.open(store)) {
      Session session = ralph.session(Stepper.SESSION);
      for (int i = 0; i < steps; i++) {
        String name = "step-" + i;
        kept.put(name, session.step(name, StepCodec.text(), () -> "not done"));
      }
    }
    if (!kept.equals(effects)) {
      throw new AssertionError("kept are " + kept + ", the effects are " + effects);
    }
  }
}
