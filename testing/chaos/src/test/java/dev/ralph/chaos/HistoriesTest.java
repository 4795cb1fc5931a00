package dev.ralph.chaos;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Tests that the judge accepts possible histories and rejects impossible ones. */
class HistoriesTest {

  @TempDir Path folder;

  private Path history(String... lines) throws Exception {
    Path own = folder.resolve("own");
    Files.writeString(own, String.join(" .\n", lines) + " .\nbegin of a line that was cut sh");
    Path history = folder.resolve("history.jsonl");
    List<String> all = History.lines(own, 1);
    all.addAll(
        List.of(
            "{\"client\":2,\"register\":\"a\",\"kind\":\"read\",\"value\":5,\"begin\":60,\"end\":70}"));
    Files.write(history, all);
    return history;
  }

  @Test
  void laterRead_returnsTheWrittenValue() throws Exception {
    Path seen =
        history("begin a swap 0 5 10", "end swap 5 20", "begin a read 0 0 30", "end read 5 40");
    assertThat(Histories.judge(seen)).isEqualTo("linearizable: 3 operations");
  }

  @Test
  void unseenWrite_isRejected() throws Exception {
    Path lost = history("begin a write 0 6 10", "end write 6 20");
    assertThatThrownBy(() -> Histories.judge(lost)).hasMessageContaining("not linearizable");
  }

  @Test
  void twoSwapsOfOneValue_areRejected() throws Exception {
    Path twice =
        history("begin a swap 0 5 10", "end swap 5 20", "begin a swap 0 6 30", "end swap 6 40");
    assertThatThrownBy(() -> Histories.judge(twice)).hasMessageContaining("not linearizable");
  }

  @Test
  void unknownOutcome_isAcceptedEitherWay() throws Exception {
    assertThat(Histories.judge(history("begin a swap 0 5 10")))
        .isEqualTo("linearizable: 2 operations");
    assertThat(Histories.judge(history("begin a write 0 5 10", "end unknown 0 20")))
        .isEqualTo("linearizable: 2 operations");
  }

  @Test
  void effectOfRejectedWrite_isRejected() throws Exception {
    Path refused = history("begin a write 0 5 10", "end nothing 0 20");
    assertThatThrownBy(() -> Histories.judge(refused)).hasMessageContaining("not linearizable");
  }
}
