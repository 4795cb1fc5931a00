package dev.ralph.tck.internal.model;

import dev.ralph.tck.internal.TimeLimit;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Random;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * Runs programs made of a seed each, and prints of one that fails a program as small as it goes.
 */
public final class RandomPrograms {

  private static final Duration SHRINKING = Duration.ofSeconds(20);

  private final Tried tried;
  private final Path temporary;
  private final int operations;
  private int runs;

  /**
   * Makes what runs programs.
   *
   * @param temporary where each program gets a folder of its own for its store
   * @param operations how many each program has
   */
  public RandomPrograms(Tried tried, Path temporary, int operations) {
    this.tried = tried;
    this.temporary = temporary;
    this.operations = operations;
  }

  /** Runs the program of that seed, and fails if the store does not do what a plain list does. */
  public void run(long seed) {
    List<Operation> program = program(seed);
    if (failure(program) != null) {
      throw disagreement(seed, program);
    }
  }

  private List<Operation> program(long seed) {
    Random random = new Random(seed);
    return Stream.generate(() -> Operation.random(random))
        .limit(operations)
        .collect(Collectors.toList());
  }

  private AssertionError disagreement(long seed, List<Operation> program) {
    int before = runs;
    List<Operation> smallest =
        new Shrinker<Operation>(
                smaller -> failure(smaller) != null, Operation::plainer, TimeLimit.in(SHRINKING))
            .shrink(program);
    Throwable failure = failure(smallest);
    StringBuilder message = new StringBuilder();
    message
        .append("the store does not do what a plain list does, in a program of ")
        .append(smallest.size())
        .append(" operations, which ")
        .append(runs - before)
        .append(" runs made out of ")
        .append(operations)
        .append(":\n");
    for (int i = 0; i < smallest.size(); i++) {
      message.append(String.format("%4d. %s%n", i + 1, smallest.get(i)));
    }
    message
        .append("Seen was: ")
        .append(failure == null ? "nothing, this time: it does not always fail" : failure)
        .append("\nRun it again with -Dralph.tck.seed=")
        .append(seed)
        .append(" -Dralph.tck.programs=1 -Dralph.tck.operations=")
        .append(operations);
    return new AssertionError(message.toString(), failure);
  }

  /** Runs the program on a new store, and returns how it failed, or null if it did not. */
  private @Nullable Throwable failure(List<Operation> program) {
    Path directory = temporary.resolve("program-" + ++runs);
    try (ProgramRun run = new ProgramRun(tried, directory)) {
      for (Operation operation : program) {
        operation.on(run);
      }
      run.finish();
      return null;
    } catch (AssertionError | RuntimeException e) {
      return e;
    } catch (InterruptedException e) {
      throw new AssertionError("interrupted in a program", e);
    } finally {
      tried.drop().accept(directory);
      delete(directory);
    }
  }

  private static void delete(Path directory) {
    if (!Files.exists(directory)) {
      return;
    }
    try (Stream<Path> files = Files.walk(directory)) {
      List<Path> deepestFirst = new ArrayList<>();
      files.sorted(Comparator.reverseOrder()).forEach(deepestFirst::add);
      for (Path file : deepestFirst) {
        Files.deleteIfExists(file);
      }
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }
}
