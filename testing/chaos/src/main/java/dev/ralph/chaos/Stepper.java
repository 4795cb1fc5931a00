package dev.ralph.chaos;

import dev.ralph.Ralph;
import dev.ralph.Session;
import dev.ralph.StepCodec;
import dev.ralph.log.ContendedException;
import dev.ralph.log.LockedException;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Collections;
import java.util.Deque;
import java.util.List;
import java.util.Random;

/** A process that performs all steps of a session and prints each result. */
public final class Stepper {

  static final String SESSION = "steps";

  private Stepper() {}

  /**
   * Runs the process.
   *
   * @param args the store's address, the port of the {@link StepTarget}, the number of steps, and a
   *     seed for their order
   */
  public static void main(String[] args) {
    int port = Integer.parseInt(args[1]);
    try (Ralph ralph = Ralph.open(args[0])) {
      Session session = ralph.session(SESSION);
      Deque<String> left = inOrderOf(args[2], args[3]);
      while (!left.isEmpty()) {
        String name = left.remove();
        try {
          String result =
              session.step(
                  name,
                  StepCodec.text(),
                  () -> effect(port, name, false),
                  interrupted -> effect(port, name, true));
          System.out.println(name + " " + result);
        } catch (ContendedException | LockedException e) {
          left.add(name); // another process performs this step
        }
      }
    }
  }

  private static Deque<String> inOrderOf(String steps, String seed) {
    List<String> names = new ArrayList<>();
    for (int i = 0; i < Integer.parseInt(steps); i++) {
      names.add("step-" + i);
    }
    Collections.shuffle(names, new Random(Long.parseLong(seed)));
    return new ArrayDeque<>(names);
  }

  private static String effect(int port, String name, boolean again) {
    try {
      return StepTarget.ask(port, name, again);
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }
}
