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
 * Runs processes that perform the same steps and are killed meanwhile, until each of them has
 * completed all steps.
 */
final class StepRounds {

  private static final int STEPPERS = 3;
  private static final int KILLED = 128 + 9;

  private StepRounds() {}

  /**
   * The result of a run.
   *
   * @param kills the number of killed processes
   * @param interrupted the number of interrupted steps that were performed again
   * @param repeated the number of requests for an existing effect
   */
  record Figures(int kills, int interrupted, int repeated) {}

  /**
   * Runs the processes.
   *
   * @throws AssertionError if an effect is missing, a step was started twice as a new one, or a
   *     recorded result differs from that of the effect
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
        checkOutput(outputFile(folder, i), effects);
      }
      checkKept(store, steps, effects);
      List<String> asked = target.asked();
      // A step is interrupted if the process was killed before the request. Therefore the step is
      // not new to other processes.
      if (new HashSet<>(asked).size() != asked.size()) {
        throw new AssertionError("steps that were started twice as new: " + asked);
      }
      return new Figures(kills, target.askedAgain(), target.repeated());
    }
  }

  private static Process start(
      String store, Path folder, int stepper, StepTarget target, int steps, SplittableRandom random)
      throws IOException {
    return Jvm.builder(
            List.of(), Stepper.class, store, "" + target.port(), "" + steps, "" + random.nextLong())
        .redirectOutput(Redirect.appendTo(outputFile(folder, stepper).toFile()))
        .redirectError(Redirect.INHERIT)
        .start();
  }

  private static Path outputFile(Path folder, int stepper) {
    return folder.resolve("stepper-" + stepper);
  }

  /** Waits for the end of the process and returns 0 or the code of a killed process. */
  private static int ended(Process stepper) throws InterruptedException {
    if (!stepper.waitFor(2, TimeUnit.MINUTES)) {
      throw new AssertionError("a stepper did not end in time");
    }
    int code = stepper.exitValue();
    if (code != 0 && code != KILLED) {
      throw new AssertionError("a stepper failed with " + code);
    }
    return code;
  }

  private static void checkOutput(Path file, Map<String, String> effects) throws IOException {
    String output = Files.readString(file, StandardCharsets.UTF_8);
    // A killed process may leave an incomplete line, which the next process continues.
    for (String line : output.split("\n")) {
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
      throw new AssertionError("recorded results are " + kept + ", the effects are " + effects);
    }
  }
}
