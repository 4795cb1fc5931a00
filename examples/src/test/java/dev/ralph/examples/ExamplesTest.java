package dev.ralph.examples;

import static org.assertj.core.api.Assertions.assertThat;

import dev.ralph.examples.mail.AskAndAnswer;
import dev.ralph.examples.mail.WorkerPool;
import dev.ralph.examples.tx.AskOverFiles;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.concurrent.TimeUnit;
import org.example.reservations.BoxOffice;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Runs each example in its own JVM, as a reader does. */
class ExamplesTest {

  @TempDir Path temp;

  @Test
  void embeddedLoop_completes() throws Exception {
    assertThat(run(EmbeddedLoop.class))
        .contains("doing Say hello", "doing Say goodbye")
        .endsWith("completed after 3 iterations\n");
  }

  @Test
  void modelAgent_callsSessionTools() throws Exception {
    assertThat(run(ModelAgent.class))
        .contains("task_status {\"id\":\"t1\",\"status\":\"completed\"}")
        .endsWith("completed, noted: It is quite short\n");
  }

  @Test
  void customFold_countsNotes() throws Exception {
    assertThat(run(NoteCounts.class))
        .isEqualTo("now: {decision=1, learning=2}\nthen: {learning=2}\n");
  }

  @Test
  void processes_claimFromSharedLog() throws Exception {
    assertThat(run(ClaimingProcesses.class)).startsWith("40 tasks done by ");
  }

  @Test
  void customDomain_sellsSeatsOnce() throws Exception {
    assertThat(run(BoxOffice.class))
        .startsWith("sold twice: false, still sold: [")
        .contains("number=2, seat=A2, guest=Bob]");
  }

  @Test
  void agents_exchangeMail() throws Exception {
    assertThat(run(AskAndAnswer.class)).isEqualTo("bob: Ten, as of Monday.\n");
    assertThat(run(WorkerPool.class)).isEqualTo("40 of 40 parts built\n");
  }

  @Test
  void agents_exchangeTxFiles() throws Exception {
    assertThat(run(AskOverFiles.class).lines())
        .startsWith("brain/brain: 8080")
        .contains("core/core wrote: Which port?", "brain/brain wrote: 8080")
        .hasSize(3);
  }

  @Test
  void harness_steersLoop() throws Exception {
    assertThat(run(SteeringHarness.class))
        .contains("agent reads: Leave the database alone")
        .endsWith("the loop ended: stopped\n");
  }

  @Test
  void hostedLoop_usesHostGatesAndThreads() throws Exception {
    assertThat(run(HostedLoop.class))
        .isEqualTo(
            "hosted: success\nhosted: no TODOs failed: a TODO is left\n"
                + "hosted: success\nhosted: no TODOs passed\n"
                + "the loop ended: completed after 2 iterations\n");
  }

  @Test
  void change_isBuiltStoryByStory() throws Exception {
    assertThat(run(ChangeBuild.class))
        .isEqualTo(
            """
            did 1.1 Fields
            did 1.2 A button
            gate passed: the project's checks and tests
            did 2.1 Passwords
            gate passed: the project's checks and tests
            completed after 3 iterations: all stories of add-login are complete
            ## 1. Form
            - [x] 1.1 Fields
            - [x] 1.2 A button

            ## 2. Check
            - [x] 2.1 Passwords
            """);
  }

  private String run(Class<?> example) throws Exception {
    Path output = temp.resolve("output");
    Process process =
        new ProcessBuilder(
                Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                "-Djava.io.tmpdir=" + temp,
                "-cp",
                System.getProperty("java.class.path"),
                example.getName())
            .redirectErrorStream(true)
            .redirectOutput(output.toFile())
            .start();
    try {
      assertThat(process.waitFor(5, TimeUnit.MINUTES)).as("exited in time").isTrue();
      String printed = Files.readString(output, StandardCharsets.UTF_8);
      assertThat(process.exitValue()).as(printed).isZero();
      return printed;
    } finally {
      process.destroyForcibly();
    }
  }
}
