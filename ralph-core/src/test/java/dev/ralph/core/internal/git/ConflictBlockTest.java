package dev.ralph.core.internal.git;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Conflict blocks in merged files and in documents. */
class ConflictBlockTest {

  private static final String BLOCK = "a\n<<<<<<< HEAD\nmine\n=======\nyours\n>>>>>>> main\nb\n";

  @Test
  void blocks_haveLabelAndSecondSide() {
    assertThat(ConflictBlock.in(BLOCK + BLOCK.replace("yours\n", "")))
        .containsExactly(new ConflictBlock("main", "yours\n"), new ConflictBlock("main", ""));
  }

  @Test
  void diff3Base_isNoSide() {
    String text = "<<<<<<< HEAD\nmine\n||||||| 1234567\nbase\n=======\nyours\n>>>>>>> b c\n";
    assertThat(ConflictBlock.in(text)).containsExactly(new ConflictBlock("b c", "yours\n"));
  }

  @Test
  void crlfAndLongMarkers_areFound() {
    assertThat(ConflictBlock.in(BLOCK.replace("\n", "\r\n")))
        .containsExactly(new ConflictBlock("main", "yours\n"));
    String wide = BLOCK.replace("<<<<<<<", "<".repeat(20)).replace("=======", "=".repeat(20));
    assertThat(ConflictBlock.in(wide)).isEmpty();
    assertThat(ConflictBlock.in(wide.replace(">>>>>>>", ">".repeat(20)))).hasSize(1);
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "",
        "Heading\n=======\n",
        "<<<<<<< HEAD\nmine\n",
        "<<<<<<< HEAD\n>>>>>>> main\n",
        "=======\n>>>>>>> main\n",
        "  <<<<<<< HEAD\n  =======\n  >>>>>>> main\n",
        "<<<<<< HEAD\n======\n>>>>>> main\n"
      })
  void incompleteBlock_isNone(String text) {
    assertThat(ConflictBlock.in(text)).isEmpty();
  }

  @ParameterizedTest
  @CsvSource({
    "yours, true",
    "0|yours|9, true",
    "0|yours2|9, false",
    "other, false",
    "'', false",
    "a|<<<<<<< HEAD|mine|=======|yours|>>>>>>> main|b, false"
  })
  void block_isFromVersionWithItsSecondSide(String other, boolean expected) {
    ConflictBlock block = ConflictBlock.in(BLOCK).get(0);
    assertThat(block.isFrom(other.replace('|', '\n'))).isEqualTo(expected);
  }

  @Test
  void emptySecondSide_isFromAnyVersion() {
    assertThat(new ConflictBlock("main", "").isFrom("anything\n")).isTrue();
  }
}
