package dev.ralph.tck;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.time.LocalDate;
import java.time.ZoneOffset;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Random;
import java.util.concurrent.TimeUnit;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/**
 * Whatever the order in which its methods are used, a store answers like a plain list. Random
 * programs of operations run on the store and on such a list; of one on which they disagree, a
 * program as small as can be found is printed, with the seed that it came from.
 *
 * <p>The system property {@code ralph.tck.programs} says how many programs run, {@code
 * ralph.tck.operations} how long each is, and {@code ralph.tck.seed} the seed of the first; each
 * further one has the next. Without it the seed changes with the day.
 */
public abstract class ModelConformance extends StoreConformance {

  private static final Duration SHRINKING = Duration.ofSeconds(20);

  private int runs;

  @Test
  @Timeout(value = 1, unit = TimeUnit.DAYS)
  void randomProgramsAgreeWithAPlainList() {
    long seed =
        Long.getLong("ralph.tck.seed", LocalDate.now(ZoneOffset.UTC).toEpochDay() * 1_000_000);
    int programs = Integer.getInteger("ralph.tck.programs", 100);
    int operations = Integer.getInteger("ralph.tck.operations", 60);
    report(programs + " programs of " + operations + " operations, from seed " + seed + " on");
    for (long s = seed; s < seed + programs; s++) {
      List<Operation> program = program(s, operations);
      if (failure(program) != null) {
        throw disagreement(s, operations, program);
      }
    }
  }

  private static List<Operation> program(long seed, int operations) {
    Random random = new Random(seed);
    return Stream.generate(() -> Operation.random(random))
        .limit(operations)
        .collect(Collectors.toList());
  }

  private AssertionError disagreement(long seed, int operations, List<Operation> program) {
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
    try (ProgramRun run = new ProgramRun(fixture(), directory)) {
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
