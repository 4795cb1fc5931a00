package dev.ralph.cli.terminal;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class TypedLineTest {

  private final List<String> entered = new ArrayList<>();
  private final TypedLine line =
      new TypedLine(
          "message: ",
          text -> {
            entered.add(text);
            return ScrolledScreen.Reply.message("sent");
          });

  private @Nullable String type(String text) {
    String answer = null;
    for (byte b : text.getBytes(StandardCharsets.UTF_8)) {
      assertThat(answer).isNull();
      ScrolledScreen.Reply reply = line.take(b & 0xff);
      answer = reply == null ? null : reply.message();
    }
    return answer;
  }

  @ParameterizedTest
  @CsvSource({
    "hello, hello",
    "Größe 日本 😀, Größe 日本 😀",
    "helpp\u007flo, helplo",
    "a😀\bb, ab",
    "wrong\u0015right, right",
    "\u0007be\u0001ll, bell",
  })
  void typedText_isEntered(String typed, String text) {
    assertThat(type(typed)).isNull();
    assertThat(line.shown()).isEqualTo("message: " + text);
    assertThat(type("\r")).isEqualTo("sent");
    assertThat(entered).containsExactly(text);
  }

  @ParameterizedTest
  @CsvSource({"'\u001b'", "'hello\u001b'", "'\r'", "'  \n'"})
  void escapeOrEmptyLine_cancelsInput(String typed) {
    assertThat(type(typed)).isEmpty();
    assertThat(entered).isEmpty();
  }

  @Test
  void invalidBytes_areSkipped() {
    line.take(0xff);
    line.take(0x80);
    assertThat(type("ok\u007f\u007f\u007fa\r")).isEqualTo("sent");
    assertThat(entered).containsExactly("a");
  }
}
