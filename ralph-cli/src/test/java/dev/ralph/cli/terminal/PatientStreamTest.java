package dev.ralph.cli.terminal;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.OutputStream;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.concurrent.CountDownLatch;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

@Timeout(300)
class PatientStreamTest {

  private static final Duration LONG = Duration.ofSeconds(50);

  private static byte[] bytes(String text) {
    return text.getBytes(StandardCharsets.UTF_8);
  }

  @Test
  void writes_arriveCompleteAndInOrder() throws Exception {
    ByteArrayOutputStream out = new ByteArrayOutputStream();
    PatientStream stream = new PatientStream(out);
    StringBuilder expected = new StringBuilder();
    for (int i = 0; i < 1000; i++) {
      stream.write(bytes(i + "\n"));
      expected.append(i).append('\n');
    }
    stream.finish(LONG);
    assertThat(out).hasToString(expected.toString());
  }

  @Test
  void slowReader_blocksNoWriterAndGetsAll() throws Exception {
    CountDownLatch reads = new CountDownLatch(1);
    ByteArrayOutputStream out = new ByteArrayOutputStream();
    PatientStream stream =
        new PatientStream(
            new OutputStream() {
              @Override
              public void write(int b) throws IOException {
                try {
                  reads.await();
                } catch (InterruptedException e) {
                  throw new IOException(e);
                }
                out.write(b);
              }
            });
    stream.write(bytes("one "));
    stream.write(bytes("two"));
    assertThat(stream.finish(Duration.ofMillis(20))).isFalse();
    assertThat(out.size()).isZero();

    reads.countDown();
    assertThat(stream.finish(LONG)).isTrue();
    assertThat(out).hasToString("one two");
  }

  /** An interrupted thread prints its output before it ends. */
  @Test
  void interruptedThread_waitsForReader() throws Exception {
    Thread waiting = Thread.currentThread();
    long deadline = System.nanoTime() + Duration.ofSeconds(10).toNanos();
    ByteArrayOutputStream out = new ByteArrayOutputStream();
    PatientStream stream =
        new PatientStream(
            new OutputStream() {
              @Override
              public void write(int b) {
                while (waiting.getState() != Thread.State.TIMED_WAITING
                    && System.nanoTime() < deadline) {
                  Thread.onSpinWait();
                }
                out.write(b);
              }
            });
    stream.write(bytes("the end"));
    Thread.currentThread().interrupt();

    boolean all = stream.finish(LONG);

    assertThat(Thread.interrupted()).as("interrupt status kept").isTrue();
    assertThat(all).isTrue();
    assertThat(out).hasToString("the end");
  }

  @Test
  void closedReader_failsNextWrite() throws Exception {
    PatientStream stream =
        new PatientStream(
            new OutputStream() {
              @Override
              public void write(int b) throws IOException {
                throw new IOException("Broken pipe");
              }
            });
    stream.write(bytes("one"));
    stream.finish(LONG);
    assertThatThrownBy(() -> stream.write(bytes("two"))).hasMessageContaining("Broken pipe");
    stream.write(bytes(""));
  }
}
