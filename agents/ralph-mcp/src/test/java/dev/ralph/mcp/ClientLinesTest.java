package dev.ralph.mcp;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class ClientLinesTest {

  /** Returns a stream whose reads return at most {@code most} bytes. */
  private static InputStream trickle(String text, int most) {
    return new ByteArrayInputStream(text.getBytes(StandardCharsets.US_ASCII)) {
      @Override
      public int read(byte[] into, int offset, int length) {
        return super.read(into, offset, Math.min(length, most));
      }
    };
  }

  private static String text(byte[] line) {
    return new String(line, StandardCharsets.US_ASCII);
  }

  @ParameterizedTest
  @ValueSource(ints = {1, 2, 3, 1_000})
  void line_isKeptUpToLimit(int atATime) throws IOException {
    ClientLines lines = new ClientLines(trickle("four\n\nfives\nand more\nlast", atATime), 4);
    List<String> seen = new ArrayList<>();
    for (byte[] line = lines.next(); line != null; line = lines.next()) {
      seen.add(text(line) + (lines.cut() ? "…" : ""));
    }
    assertThat(seen).containsExactly("four", "", "five…", "and …", "last");
    assertThat(lines.next()).isNull();
  }

  @ParameterizedTest
  @ValueSource(ints = {1, 2, 3, 1_000})
  void restOfLongLine_isReadable(int atATime) throws IOException {
    ClientLines lines = new ClientLines(trickle("and more\nnext\nto the end", atATime), 4);
    assertThat(text(lines.next())).isEqualTo("and ");
    assertThat(text(lines.rest().readAllBytes())).isEqualTo("more");
    assertThat(lines.cut()).isFalse();
    assertThat(lines.rest().read()).isEqualTo(-1);
    assertThat(text(lines.next())).isEqualTo("next");
    assertThat(text(lines.next())).isEqualTo("to t");
    assertThat(lines.rest().read()).isEqualTo('h');
    assertThat(text(lines.rest().readAllBytes())).isEqualTo("e end");
    assertThat(lines.next()).isNull();
  }

  @Test
  void partlyReadRest_isNotReturnedAsLine() throws IOException {
    ClientLines lines = new ClientLines(trickle("and more\nnext", 1_000), 4);
    lines.next();
    assertThat(lines.rest().read()).isEqualTo('m');
    assertThat(text(lines.next())).isEqualTo("next");
  }

  @Test
  void inputEndingWithLineBreak_hasNoFurtherLine() throws IOException {
    assertThat(new ClientLines(trickle("", 1), 4).next()).isNull();
    ClientLines lines = new ClientLines(trickle("a\n", 1), 4);
    assertThat(text(lines.next())).isEqualTo("a");
    assertThat(lines.next()).isNull();
  }
}
