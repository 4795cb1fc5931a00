package org.example.reservations;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.ralph.Ralph;
import dev.ralph.log.Meta;
import dev.ralph.log.RalphException;
import dev.ralph.log.RalphException.Code;
import dev.ralph.log.Topic;
import dev.ralph.store.chronicle.ChronicleStoreProvider;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.TreeSet;
import java.util.concurrent.Callable;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Tests the reservation book on each store, with concurrent threads and processes. */
class ReservationBookTest {

  private static final int CLERKS = 4;

  @TempDir Path temp;

  private Ralph open(String store) {
    return store.equals("memory")
        ? Ralph.inMemory()
        : Ralph.builder().store(store).directory(temp.resolve(store)).open();
  }

  @ParameterizedTest
  @ValueSource(strings = {"memory", "file"}) // the Chronicle store cannot erase
  void erasedReservation_numberIsNotReused(String store) {
    try (Ralph ralph = open(store)) {
      ReservationBook book = new ReservationBook(ralph, "friday");
      book.reserve("A1", "Ann");
      Reservation erased = book.reserve("A2", "Bob").orElseThrow();

      ralph.log().erase(List.of(erased.id()));

      assertThat(book.list()).extracting(Reservation::guest).containsExactly("Ann");
      assertThat(book.reserve("A2", "Eve")).get().extracting(Reservation::number).isEqualTo(3);
    }
  }

  @ParameterizedTest
  @ValueSource(strings = {"memory", "file", "chronicle"})
  void cancelledSeat_canBeReservedAgain(String store) {
    try (Ralph ralph = open(store)) {
      ReservationBook book = new ReservationBook(ralph, "friday");
      assertThat(book.reserve("A1", "Ann")).get().extracting(Reservation::number).isEqualTo(1);
      assertThat(book.reserve("A1", "Bob")).isEmpty();
      assertThat(book.reserve("A1", "Ann")).as("repeated by the same guest").isPresent();
      assertThat(book.reserve("A2", "Bob")).isPresent();
      assertThat(new ReservationBook(ralph, "saturday").reserve("A1", "Bob")).isPresent();

      assertThat(book.cancel("r1").guest()).isEqualTo("Ann");
      assertThat(book.reserve("A1", "Bob")).get().extracting(Reservation::number).isEqualTo(3);
      assertThat(book.list())
          .extracting(Reservation::title)
          .containsExactly("A2 for Bob", "A1 for Bob");
    }
  }

  @ParameterizedTest
  @ValueSource(strings = {"memory", "file", "chronicle"})
  void invalidRequests_explainTheError(String store) {
    try (Ralph ralph = open(store)) {
      ReservationBook book = new ReservationBook(ralph, "friday");
      book.reserve("A1", "Ann");
      assertThatThrownBy(() -> book.cancel("r2"))
          .isInstanceOfSatisfying(
              RalphException.class, e -> assertThat(e.code()).isEqualTo(Code.NOT_FOUND))
          .hasMessageContaining("there is no reservation 'r2'")
          .hasMessageContaining("r1 'A1 for Ann'");
      assertThatThrownBy(() -> book.reserve(" ", "Ann"))
          .hasMessageContaining("seat ' ' may hold letters");
    }
  }

  @ParameterizedTest
  @ValueSource(strings = {"memory", "file", "chronicle"})
  void unknownActions_areIgnored(String store) {
    try (Ralph ralph = open(store)) {
      ReservationBook book = new ReservationBook(ralph, "friday");
      ralph.append(
          Topic.of("reservations.friday.seat"),
          Meta.of("action", "upgrade").with("seat", "A1"),
          "");
      assertThat(book.reserve("A1", "Ann")).isPresent();
    }
  }

  @ParameterizedTest
  @ValueSource(strings = {"memory", "file", "chronicle"})
  void threads_reserveEachSeatOnce(String store) throws Exception {
    ExecutorService threads = Executors.newFixedThreadPool(CLERKS);
    try (Ralph ralph = open(store)) {
      ReservationBook book = new ReservationBook(ralph, "friday");
      List<Callable<List<String>>> clerks = new ArrayList<>();
      for (int clerk = 0; clerk < CLERKS; clerk++) {
        String guest = "guest " + clerk;
        List<String> seats = Clerk.seats(clerk);
        clerks.add(
            () -> seats.stream().filter(seat -> book.reserve(seat, guest).isPresent()).toList());
      }
      List<String> got = new ArrayList<>();
      for (Future<List<String>> each : threads.invokeAll(clerks)) {
        got.addAll(each.get());
      }
      assertSoldOnce(got, book);
    } finally {
      threads.shutdownNow();
    }
  }

  @ParameterizedTest
  @ValueSource(strings = {"file", "chronicle"})
  void processes_reserveEachSeatOnce(String store) throws Exception {
    try (Ralph ralph = open(store)) {
      ReservationBook book = new ReservationBook(ralph, "friday");
      List<Process> clerks = new ArrayList<>();
      try {
        for (int clerk = 0; clerk < CLERKS; clerk++) {
          clerks.add(startClerk(store, clerk));
        }
        assertThat(book.awaitReserved(Clerk.SEATS, Duration.ofMinutes(2))).as("sold out").isTrue();
        List<String> got = new ArrayList<>();
        for (int clerk = 0; clerk < CLERKS; clerk++) {
          assertThat(clerks.get(clerk).waitFor(5, TimeUnit.MINUTES)).as("exited in time").isTrue();
          String printed = Files.readString(output(clerk), StandardCharsets.UTF_8);
          assertThat(clerks.get(clerk).exitValue()).as(printed).isZero();
          printed.lines().forEach(got::add);
        }
        assertSoldOnce(got, book);
      } finally {
        clerks.forEach(Process::destroyForcibly);
      }
    }
  }

  private static void assertSoldOnce(List<String> got, ReservationBook book) {
    assertThat(got).hasSize(Clerk.SEATS).containsExactlyInAnyOrderElementsOf(Clerk.seats(0));
    assertThat(book.list())
        .extracting(Reservation::seat)
        .containsExactlyInAnyOrderElementsOf(new TreeSet<>(got));
  }

  private Path output(int clerk) {
    return temp.resolve("clerk-" + clerk);
  }

  private Process startClerk(String store, int clerk) throws IOException {
    List<String> command = new ArrayList<>();
    command.add(Path.of(System.getProperty("java.home"), "bin", "java").toString());
    if (store.equals("chronicle")) {
      command.addAll(ChronicleStoreProvider.jvmArguments());
    }
    command.addAll(
        List.of("-Djava.io.tmpdir=" + temp, "-cp", System.getProperty("java.class.path")));
    command.addAll(List.of(Clerk.class.getName(), store, temp.resolve(store).toString()));
    command.addAll(List.of("guest " + clerk, Integer.toString(clerk)));
    return new ProcessBuilder(command)
        .redirectErrorStream(true)
        .redirectOutput(output(clerk).toFile())
        .start();
  }
}
