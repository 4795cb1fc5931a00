package dev.ralph.core.internal.process;

import java.time.Duration;

/** A separate program that owns a process, for tests that kill the owner. */
final class Owner {

  private Owner() {}

  /**
   * With {@code own MARK}: starts a process tree with the mark, and waits. With {@code end-own-mark
   * MARK}: ends all processes with the mark except this JVM, which also has the mark.
   */
  public static void main(String[] args) throws Exception {
    if (args[0].equals("end-own-mark")) {
      ProcessMark own = ProcessMark.of(args[1]);
      System.out.println("found " + own.find().size());
      System.out.println("ended " + own.endAll(Duration.ofSeconds(2)).size());
      return;
    }
    ProcessSpec spec =
        ProcessSpec.command(
                "sh", "-c", "setsid sleep 1000 & echo $!; (setsid sleep 1000 &); echo $$; wait")
            .mark(ProcessMark.of(args[1]))
            .onStdout(System.out::print)
            .build();
    try (ManagedProcess process = ManagedProcess.start(spec)) {
      process.await(Duration.ofMinutes(10));
    }
  }
}
