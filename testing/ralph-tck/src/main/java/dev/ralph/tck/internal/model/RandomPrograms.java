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

/** Runs random programs by seed, and shrinks and prints a failing program. */
public final class RandomPrograms {

  private static final Duration SHRINKING = Duration.ofSeconds(20);

  private final TestedStore tested;
  private final Path temporary;
  private final int operations;
  private int runs;

  /**
   * Creates a runner of programs.
   *
   * @param tested the store to test
   * @param temporary the parent of the folders of the programs' stores
   * @param operations the number of operations per program
   */
  public RandomPrograms(TestedStore tested, Path temporary, int operations) {
    this.tested = tested;
    this.temporary = temporary;
    this.operations = operations;
  }

  /** Runs the program of a seed, and fails if store and list disagree. */
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
        .append("store and plain list disagree in a program of ")
        .append(smallest.size())
        .append(" operations, shrunk in ")
        .append(runs - before)
        .append(" runs from ")
        .append(operations)
        .append(":\n");
    for (int i = 0; i < smallest.size(); i++) {
      message.append(String.format("%4d. %s%n", i + 1, smallest.get(i)));
    }
    message
        .append("Failure: ")
        .append(failure == null ? "none this time; the failure is not reproducible" : failure)
        .append("\nRun it again with -Dralph.tck.seed=")
        .append(seed)
        .append(" -Dralph.tck.programs=1 -Dralph.tck.operations=")
        .append(operations);
    return new AssertionError(message.toString(), failure);
  }

  /** Runs the program on a new store, and returns the failure or null. */
  private @Nullable Throwable failure(List<Operation> program) {
    Path directory = temporary.resolve("program-" + ++runs);
    try (ProgramRun run = new ProgramRun(tested, directory)) {
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
      tested.drop().accept(directory);
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
