package dev.ralph.core.internal.text;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Ticks of boxes in files that other programs edit. */
@Timeout(300)
class BoxPlaceTest {

  private static final String LINE = "- [ ] two";
  private static final int MARK = 3;

  @TempDir Path folder;
  private Path file;

  @BeforeEach
  void fileName() {
    file = folder.resolve("plan.md");
  }

  private static BoxPlace place(int begin) {
    return new BoxPlace(begin, LINE.getBytes(StandardCharsets.UTF_8), MARK);
  }

  @ParameterizedTest
  @ValueSource(strings = {"one\n- [ ] two", "one\n- [ ] two\n", "one\n- [ ] two\n- [ ] three"})
  void unchangedLine_isTicked(String text) throws IOException {
    Files.writeString(file, text);

    assertThat(place(4).tick(file)).isTrue();

    assertThat(Files.readString(file)).isEqualTo(text.replace("[ ] two", "[x] two"));
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "",
        "one",
        "one\n",
        "one\n- [ ] tw",
        "one\n- [ ] two ",
        "one\r- [ ] two\n",
        "one\n- [x] two\n",
        "ones\n- [ ] two\n",
        "one\n\n- [ ] two\n"
      })
  void changedLine_isKept(String text) throws IOException {
    Files.writeString(file, text);

    assertThat(place(4).tick(file)).isFalse();

    assertThat(Files.readString(file)).isEqualTo(text);
  }

  @Test
  void boxWithoutMark_isKept() throws IOException {
    Files.writeString(file, LINE);
    BoxPlace place = new BoxPlace(0, LINE.getBytes(StandardCharsets.UTF_8), -1);

    assertThat(place.tick(file)).isFalse();

    assertThat(file).hasContent(LINE);
  }

  @Test
  void missingFile_isNotCreated() {
    assertThatThrownBy(() -> place(0).tick(file)).isInstanceOf(NoSuchFileException.class);
    assertThat(file).doesNotExist();
  }

  @Test
  void link_isNotFollowed() throws IOException {
    Path other = Files.writeString(folder.resolve("other.md"), LINE);
    Files.createSymbolicLink(file, other);

    assertThatThrownBy(() -> place(0).tick(file)).isInstanceOf(IOException.class);

    assertThat(other).hasContent(LINE);
  }

  @Test
  void interruptedThread_ticks() throws IOException {
    Files.writeString(file, LINE);
    Thread.currentThread().interrupt();

    boolean isTicked = place(0).tick(file);

    assertThat(Thread.interrupted()).isTrue();
    assertThat(isTicked).isTrue();
    assertThat(file).hasContent("- [x] two");
  }

  @Test
  void concurrentTicks_changeOnlyTheirBytes() throws Exception {
    int lines = 50;
    Files.writeString(file, (LINE + "\n").repeat(lines));
    ExecutorService threads = Executors.newFixedThreadPool(2);
    List<Future<?>> ticks = new ArrayList<>();
    for (int thread = 0; thread < 2; thread++) {
      ticks.add(
          threads.submit(
              () -> {
                for (int line = 0; line < lines; line++) {
                  place(line * (LINE.length() + 1)).tick(file);
                }
                return null;
              }));
    }
    for (Future<?> tick : ticks) {
      tick.get(1, TimeUnit.MINUTES);
    }
    threads.shutdown();

    assertThat(Files.readString(file)).isEqualTo("- [x] two\n".repeat(lines));
  }
}
