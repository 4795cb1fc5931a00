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

/** The writer processes of a store, with all journals in a common folder. */
final class WriterProcesses implements AutoCloseable {

  private static final long TIMEOUT_SECONDS = 60;

  private final String store;
  private final Path journals;
  private final long seed;
  private final boolean syncOnly;
  private final List<WriterProgram> programs = new ArrayList<>();
  private final List<Process> processes = new ArrayList<>();
  private int steps = Integer.MAX_VALUE;
  private int wrapped = -1;
  private List<String> wrapper = List.of();

  /**
   * Creates the writers without starting them.
   *
   * @param store the address of the store
   * @param journals the folder of the journals
   * @param writers the number of writers
   * @param seed the seed of the writers' programs
   * @param syncOnly whether all appends are synced
   */
  WriterProcesses(String store, Path journals, int writers, long seed, boolean syncOnly) {
    this.store = store;
    this.journals = journals;
    this.seed = seed;
    this.syncOnly = syncOnly;
    for (int writer = 0; writer < writers; writer++) {
      programs.add(new WriterProgram(seed, writer, syncOnly));
    }
  }

  /** Limits the number of batches that each writer appends after each call of {@link #work()}. */
  void atMost(int batches) {
    steps = batches;
  }

  /** Sets a command prefix for one of the writers. */
  void wrap(int writer, String... command) {
    wrapped = writer;
    wrapper = List.of(command);
  }

  List<WriterProgram> programs() {
    return programs;
  }

  Path journal(int writer) {
    return journals.resolve("writer-" + writer + ".journal");
  }

  List<Journal.Account> accounts() throws IOException {
    List<Journal.Account> accounts = new ArrayList<>();
    for (WriterProgram program : programs) {
      accounts.add(Journal.read(journal(program.writer())));
    }
    return accounts;
  }

  /**
   * Starts the writers that do not run and waits for their first acknowledged append; lets the
   * running processes continue.
   */
  void work() throws IOException {
    List<Process> started = new ArrayList<>();
    for (WriterProgram program : programs) {
      int writer = program.writer();
      if (writer < processes.size() && processes.get(writer).isAlive()) {
        resume(processes.get(writer));
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

  private static void resume(Process process) throws IOException {
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
    File errors = journals.resolve("writer-" + writer + ".err").toFile();
    return builder.redirectError(Redirect.appendTo(errors)).start();
  }

  private List<String> prefix(int writer) {
    return writer == wrapped ? wrapper : List.of();
  }

  private void awaitWorking(Process process) {
    Thread timeout =
        new Thread(
            () -> {
              try {
                TimeUnit.SECONDS.sleep(TIMEOUT_SECONDS);
                process.destroyForcibly();
              } catch (InterruptedException started) {
                // the process has started in time
              }
            });
    timeout.setDaemon(true);
    timeout.start();
    try {
      BufferedReader output =
          new BufferedReader(
              new InputStreamReader(process.getInputStream(), StandardCharsets.UTF_8));
      String line = output.readLine();
      if (!"working".equals(line)) {
        throw new IllegalStateException(
            "writer " + process.pid() + " did not start; see its .err file in " + journals);
      }
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    } finally {
      timeout.interrupt();
    }
  }

  /** Returns the running processes. */
  List<Process> running() {
    return processes.stream().filter(Process::isAlive).toList();
  }

  /** Kills processes with SIGKILL, all at nearly the same moment. */
  static void kill(List<Process> victims) {
    victims.forEach(Process::destroyForcibly);
    for (Process victim : victims) {
      victim.onExit().orTimeout(TIMEOUT_SECONDS, TimeUnit.SECONDS).join();
    }
  }

  @Override
  public void close() {
    kill(running());
  }
}
