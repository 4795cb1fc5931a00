package dev.ralph.cli.terminal;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class KeyDecoderTest {

  private static List<KeyDecoder.Key> keys(String typed) {
    KeyDecoder keys = new KeyDecoder();
    List<KeyDecoder.Key> all = new ArrayList<>();
    for (char c : typed.toCharArray()) {
      KeyDecoder.Key key = keys.take(c);
      if (key != null) {
        all.add(key);
      }
    }
    return all;
  }

  @ParameterizedTest
  @CsvSource({
    "q,QUIT",
    "[A,UP",
    "OA,UP",
    "k,UP",
    "[B,DOWN",
    "OB,DOWN",
    "j,DOWN",
    "[5~,PAGE_UP",
    "b,PAGE_UP",
    "[6~,PAGE_DOWN",
    "[H,TOP",
    "[1~,TOP",
    "g,TOP",
    "[F,BOTTOM",
    "OF,BOTTOM",
    "[4~,BOTTOM",
    "G,BOTTOM"
  })
  void typedSequence_isRecognizedAsKey(String typed, KeyDecoder.Key key) {
    boolean isSequence = typed.length() > 1;
    assertThat(keys((isSequence ? "\u001b" : "") + typed)).containsExactly(key);
  }

  @Test
  void unknownSequence_isSkippedAlone() {
    assertThat(keys("x\u001b[1;5C\u001b[200~zq")).containsExactly(KeyDecoder.Key.QUIT);
    assertThat(keys("\u001b\u001b[Aq")).containsExactly(KeyDecoder.Key.UP, KeyDecoder.Key.QUIT);
    assertThat(keys("\u001bxj")).as("Alt and x").containsExactly(KeyDecoder.Key.DOWN);
    assertThat(keys("\u001b[" + "1".repeat(100) + "q")).containsExactly(KeyDecoder.Key.QUIT);
  }
}
