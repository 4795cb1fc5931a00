package dev.ralph;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;

class RecordEntryTest {

  @Test
  void unpairedSurrogate_isReplaced() {
    RecordEntry entry = RecordEntry.toolCall("\uD83D", "a\uDE00", "no JSON \uD83D\uDE00 \uD83D");

    assertThat(entry.string("id")).isEqualTo("\uFFFD");
    assertThat(entry.string("tool")).isEqualTo("a\uFFFD");
    assertThat(entry.data().object("arguments").string("text"))
        .isEqualTo("no JSON \uD83D\uDE00 \uFFFD");
  }
}
