package dev.ralph.tx;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import java.time.ZoneOffset;
import org.junit.jupiter.api.Test;

class TxTextsTest {

  private final TxTexts texts = new TxTexts();

  private TxTexts.Novelty see(String name, String text) {
    return texts.classify(new TxReader(ZoneOffset.UTC).read(name, text.getBytes(UTF_8)));
  }

  @Test
  void renamedFile_isNotNew() {
    String text = "---\nmsg-id: a\n---\nText\n";

    assertThat(see("1030100000-task-core--brain-a.md", text)).isEqualTo(TxTexts.Novelty.NEW);
    assertThat(see("1030100000-task-core--brain-a-orphan.md", text))
        .isEqualTo(TxTexts.Novelty.SAME);
  }

  @Test
  void secondTextUnderId_isReported() {
    assertThat(see("1.md", "---\nmsg-id: a\n---\nText\n")).isEqualTo(TxTexts.Novelty.NEW);
    assertThat(see("2.md", "---\nmsg-id: a\n---\nOther\n")).isEqualTo(TxTexts.Novelty.OTHER_TEXT);
    assertThat(see("1.md", "---\nmsg-id: a\n---\nText\n")).isEqualTo(TxTexts.Novelty.SAME);
    assertThat(see("3.md", "---\nmsg-id: b\n---\nText\n")).isEqualTo(TxTexts.Novelty.NEW);
  }

  @Test
  void filesWithoutId_areKnownByText() {
    assertThat(see("1.md", "---\n---\nText\n")).isEqualTo(TxTexts.Novelty.NEW);
    assertThat(see("2.md", "---\n---\nText\n")).isEqualTo(TxTexts.Novelty.SAME);
    assertThat(see("1.md", "---\n---\nOther\n")).isEqualTo(TxTexts.Novelty.NEW);
  }
}
