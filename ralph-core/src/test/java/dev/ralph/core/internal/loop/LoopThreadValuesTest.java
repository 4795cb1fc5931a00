package dev.ralph.core.internal.loop;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import dev.ralph.AgentResult;
import dev.ralph.Gate;
import dev.ralph.Loop;
import dev.ralph.Usage;
import dev.ralph.Verdict;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.function.BooleanSupplier;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/**
 * The values of a thread that reach the callbacks of a host, as in the table of docs/embedding.md.
 */
@Timeout(120)
class LoopThreadValuesTest extends LoopFixture {

  private static final Path PAGE = Path.of("../docs/embedding.md");

  private static final List<String> STEPPING =
      List.of(
          "LOOP_STARTED",
          "ITERATION_STARTED",
          "ITERATION_ENDED",
          "GATE_STARTED",
          "GATE",
          "LOOP_ENDED",
          "doneWhen",
          "placeholder");

  private static final List<String> WORKING = List.of("agent", "gate", "OUTPUT", "USAGE", "NOTICE");

  private static final ThreadLocal<String> LOCAL = new ThreadLocal<>();
  private static final InheritableThreadLocal<String> INHERITED = new InheritableThreadLocal<>();

  /** A {@code ScopedValue}, or null before JDK 25. */
  private static final @Nullable Object SCOPED = newScopedValue();

  private final Map<String, Boolean> reached = new TreeMap<>();

  @Test
  void threadLocals_matchTheDocumentedTable() throws Exception {
    check(
        1,
        work -> {
          LOCAL.set("Ann");
          try {
            work.run();
          } finally {
            LOCAL.remove();
          }
        },
        () -> LOCAL.get() != null);
  }

  @Test
  void inheritableThreadLocals_matchTheDocumentedTable() throws Exception {
    check(
        2,
        work -> {
          INHERITED.set("Ann");
          try {
            work.run();
          } finally {
            INHERITED.remove();
          }
        },
        () -> INHERITED.get() != null);
  }

  @Test
  void scopedValues_matchTheDocumentedTable() throws Exception {
    assumeTrue(SCOPED != null, "this JDK has none");
    check(3, LoopThreadValuesTest::scoped, LoopThreadValuesTest::isScoped);
  }

  private interface Binding {
    void with(Runnable work) throws Exception;
  }

  /** Compares a column of the table with the observed values. */
  private void check(int column, Binding binding, BooleanSupplier isThere) throws Exception {
    List<List<String>> table = table();
    binding.with(() -> run(builder(isThere)));
    assertReached(STEPPING, table.get(0).get(column));
    assertReached(WORKING, table.get(1).get(column));

    reached.clear();
    run(
        builder(isThere)
            .executor(
                work ->
                    new Thread(
                            () -> {
                              try {
                                binding.with(work);
                              } catch (Exception e) {
                                throw new AssertionError(e);
                              }
                            })
                        .start()));
    assertReached(WORKING, table.get(2).get(column));
    assertReached(STEPPING, "no"); // values of the executor's threads do not reach the caller
  }

  private void assertReached(List<String> places, String cell) {
    Map<String, Boolean> expected = new TreeMap<>();
    places.forEach(place -> expected.put(place, cell.equals("yes")));
    Map<String, Boolean> found = new TreeMap<>(reached);
    found.keySet().retainAll(places);
    assertThat(cell).isIn("yes", "no");
    assertThat(found).isEqualTo(expected);
  }

  private static void run(Loop.Builder builder) {
    assertThat(builder.run().iterations()).isEqualTo(1);
  }

  private Loop.Builder builder(BooleanSupplier isThere) {
    return loop(turn -> {
          note("agent", isThere);
          turn.output("at work");
          turn.usage(Usage.of(1, 1, null));
          turn.notice("nearly done");
          return AgentResult.success();
        })
        .gate(
            Gate.named(
                "the gate",
                context -> {
                  note("gate", isThere);
                  return Verdict.passed();
                }))
        .template("{{who}} {{tasks}}")
        .placeholder(
            "who",
            () -> {
              note("placeholder", isThere);
              return "";
            })
        .doneWhen(
            session -> {
              note("doneWhen", isThere);
              return reached.containsKey("agent");
            })
        .maxIterations(1)
        .onEvent(event -> note(event.type().name(), isThere));
  }

  private synchronized void note(String place, BooleanSupplier isThere) {
    reached.put(place, isThere.getAsBoolean());
  }

  // ---- the table

  /** Returns the cells of the table's rows below the header. */
  private static List<List<String>> table() throws IOException {
    List<List<String>> rows = new ArrayList<>();
    boolean within = false;
    for (String line : Files.readAllLines(PAGE)) {
      if (within && line.startsWith("|") && !line.startsWith("|---")) {
        rows.add(Arrays.stream(line.substring(1).split("\\|")).map(String::strip).toList());
      } else if (within && !line.startsWith("|")) {
        break;
      }
      within |= line.equals("| values of the thread | thread locals | inheritable | scoped |");
    }
    assertThat(rows).hasSize(3);
    return rows;
  }

  // ---- JDK 25

  private static @Nullable Object newScopedValue() {
    try {
      return Class.forName("java.lang.ScopedValue").getMethod("newInstance").invoke(null);
    } catch (ReflectiveOperationException | UnsupportedOperationException olderJdk) {
      return null;
    }
  }

  private static void scoped(Runnable work) throws Exception {
    Class<?> type = Class.forName("java.lang.ScopedValue");
    Object carrier = type.getMethod("where", type, Object.class).invoke(null, SCOPED, "Ann");
    Class.forName("java.lang.ScopedValue$Carrier")
        .getMethod("run", Runnable.class)
        .invoke(carrier, work);
  }

  private static boolean isScoped() {
    try {
      return (boolean) Class.forName("java.lang.ScopedValue").getMethod("isBound").invoke(SCOPED);
    } catch (ReflectiveOperationException e) {
      throw new AssertionError(e);
    }
  }
}
