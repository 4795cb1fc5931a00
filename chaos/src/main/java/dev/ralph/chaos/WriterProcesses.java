package dev.ralph.chaos;

import java.io.BufferedReader;
import java.io.File;
import java.io.IOException;
import java.io.InputStreamReader;
import java.io.UncheckedIOException;
import java.lang.ProcessBuilder.Redirect;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;

/** The writers of one store, each a process of its own with a journal in one folder. */
final class WriterProcesses implements AutoCloseable {

  private static final long PATIENCE_SECONDS = 60;

  private final String store;
  private final Path journals;
  private final long seed;
  private final boolean syncOnly;
  private final List<Program> programs = new ArrayList<>();
  private final List<Process> processes = new ArrayList<>();
  private int steps = Integer.MAX_VALUE;
  private int wrapped = -1;
  private List<String> wrapper = List.of();

  /**
   * Makes a crew. Nobody in it works yet.
   *
   * @param store the address of the store
   */
  WriterProcesses(String store, Path journals, int writers, long seed, boolean syncOnly) {
    this.store = store;
    this.journals = journals;
    this.seed = seed;
    this.syncOnly = syncOnly;
    for (int writer = 0; writer < writers; writer++) {
      programs.add(new Program(seed, writer, syncOnly));
    }
  }

  /** Lets each writer try so many batches at most, from each call of {@link #work()} on. */
  void atMost(int batches) {
    steps = batches;
  }

  /** Has one of the writers started by a command, which runs what is added to its arguments. */
  void wrap(int writer, String... command) {
    wrapped = writer;
    wrapper = List.of(command);
  }

  List<Program> programs() {
    return programs;
  }

  Path journal(int writer) {
    return journals.resolve("writer-" + writer + ".journal");
  }

  List<Journal.Account> accounts() throws IOException {
    List<Journal.Account> accounts = new ArrayList<>();
    for (Program program : programs) {
      accounts.add(Journal.read(journal(program.writer())));
    }
    return accounts;
  }

  /**
   * Starts those that do not run, and waits until each of them has had an append acknowledged;
   * those that run may go on.
   */
  void work() throws IOException {
    List<Process> started = new ArrayList<>();
    for (Program program : programs) {
      int writer = program.writer();
      if (writer < processes.size() && processes.get(writer).isAlive()) {
        goOn(processes.get(writer));
        continue;
      }
      Process process = start(writer);
      started.add(process);
      if (writer < processes.size()) {
        processes.set(writer, process);
      } else {
        processes.add(process);
      }
    }
    for (Process process : started) {
      awaitWorking(process);
    }
  }

  private static void goOn(Process process) throws IOException {
    process.getOutputStream().write('\n');
    process.getOutputStream().flush();
  }

  private Process start(int writer) throws IOException {
    ProcessBuilder builder =
        Jvm.builder(
            prefix(writer),
            Writer.class,
            store,
            journal(writer).toString(),
            "" + seed,
            "" + writer,
            syncOnly ? "sync" : "mixed",
            "" + steps);
    File said = journals.resolve("writer-" + writer + ".err").toFile();
    return builder.redirectError(Redirect.appendTo(said)).start();
  }

  private List<String> prefix(int writer) {
    return writer == wrapped ? wrapper : List.of();
  }

  private void awaitWorking(Process process) {
    Thread impatience =
        new Thread(
            () -> {
              try {
                TimeUnit.SECONDS.sleep(PATIENCE_SECONDS);
                process.destroyForcibly();
              } catch (InterruptedException itWorks) {
                // in time
              }
            });
    impatience.setDaemon(true);
    impatience.start();
    try {
      BufferedReader said =
          new BufferedReader(
              new InputStreamReader(process.getInputStream(), StandardCharsets.UTF_8));
      String line = said.readLine();
      if (!"working".equals(line)) {
        throw new IllegalStateException(
            "writer " + process.pid() + " does not work, see its .err file in " + journals);
      }
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    } finally {
      impatience.interrupt();
    }
  }

  /** Returns the writers' processes that run. */
  List<Process> running() {
    return processes.stream().filter(Process::isAlive).toList();
  }

  /** Ends processes as kill -9 does, all at the same moment as far as there is one. */
  static void kill(List<Process> victims) {
    victims.forEach(Process::destroyForcibly);
    for (Process victim : victims) {
      victim.onExit().orTimeout(PATIENCE_SECONDS, TimeUnit.SECONDS).join();
    }
  }

  @Override
  public void close() {
    kill(running());
  }
}
