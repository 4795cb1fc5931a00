package dev.ralph.domain;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.ralph.domain.StateCodec.Input;
import dev.ralph.domain.StateCodec.Output;
import dev.ralph.log.RalphException;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.util.Arrays;
import java.util.HexFormat;
import java.util.List;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Encoding and decoding of the values of states. */
class StateCodecTest {

  /** Reads the values of a state. */
  private interface Reader<T> {
    @Nullable T read(Input in) throws IOException;
  }

  /** Returns a codec that writes and reads the values of a test. */
  private static <T> StateCodec<T> codec(Consumer<Output> writer, Reader<T> reader) {
    return new StateCodec<>() {
      @Override
      protected void write(T state, Output out) {
        writer.accept(out);
      }

      @Override
      @SuppressWarnings("NullAway") // the reader may return null
      protected T read(Input in) throws IOException {
        return reader.read(in);
      }
    };
  }

  private static byte[] encoded(Consumer<Output> writer) {
    return codec(writer, in -> "").encode("");
  }

  private static String hex(Consumer<Output> writer) {
    return HexFormat.of().formatHex(encoded(writer));
  }

  @ParameterizedTest
  @CsvSource({
    "0, 00",
    "10, 0a",
    "23, 17",
    "24, 1818",
    "100, 1864",
    "1000, 1903e8",
    "1000000, 1a000f4240",
    "1000000000000, 1b000000e8d4a51000",
    "-1, 20",
    "-10, 29",
    "-100, 3863",
    "-1000, 3903e7"
  })
  void numbers_areEncodedAsInTheStandard(long number, String expected) {
    assertThat(hex(out -> out.number(number))).isEqualTo(expected);
  }

  @ParameterizedTest
  @CsvSource({"IETF, 6449455446", "\u00fc, 62c3bc", "\u6c34, 63e6b0b4", "\ud800\udd51, 64f0908591"})
  void texts_areEncodedAsInTheStandard(String text, String expected) {
    assertThat(hex(out -> out.text(text))).isEqualTo(expected);
  }

  @Test
  void booleansAndNull_areEncodedAsInTheStandard() {
    assertThat(hex(out -> out.bool(false))).isEqualTo("f4");
    assertThat(hex(out -> out.bool(true))).isEqualTo("f5");
    assertThat(hex(out -> out.text(null))).isEqualTo("f6");
  }

  @ParameterizedTest
  @ValueSource(
      longs = {
        0,
        1,
        23,
        24,
        0xff,
        0x100,
        0xffff,
        0x10000,
        0xffff_ffffL,
        0x1_0000_0000L,
        Long.MAX_VALUE,
        -1,
        -24,
        -25,
        -256,
        -257,
        -0x1_0000_0000L,
        -0x1_0000_0001L,
        Long.MIN_VALUE
      })
  void encodedNumber_isDecodedUnchanged(long number) {
    StateCodec<Long> codec = codec(out -> out.number(number), Input::number);
    assertThat(codec.decode(codec.encode(number))).isEqualTo(number);
  }

  @Test
  void encodedText_isDecodedUnchanged() {
    for (int length : new int[] {0, 1, 23, 24, 255, 256, 65_535, 65_536, 3_000_000}) {
      String text = "\u6c34".repeat(length / 3) + "x".repeat(length % 3);
      StateCodec<String> codec = codec(out -> out.text(text), Input::text);
      assertThat(codec.decode(codec.encode(text))).isEqualTo(text);
    }
  }

  @Test
  void invalidUnicode_isRejected() {
    assertThatThrownBy(() -> encoded(out -> out.text("a\ud800b")))
        .isInstanceOf(RalphException.class)
        .hasMessageContaining("unpaired surrogate");
  }

  @Test
  void valueOfWrongType_isRejected() {
    List<Consumer<Output>> values =
        List.of(out -> out.number(7), out -> out.bool(true), out -> out.text("x"));
    List<Reader<Object>> readers = List.of(Input::number, Input::bool, Input::text);
    for (int value = 0; value < values.size(); value++) {
      for (int reader = 0; reader < readers.size(); reader++) {
        StateCodec<Object> codec = codec(values.get(value), readers.get(reader));
        byte[] bytes = codec.encode("");
        if (value == reader) {
          assertThat(codec.decode(bytes)).isNotNull();
        } else {
          assertThatThrownBy(() -> codec.decode(bytes))
              .isInstanceOf(UncheckedIOException.class)
              .hasMessageContaining("expected");
        }
      }
    }
    assertThatThrownBy(() -> codec(out -> {}, Input::text).decode(encoded(out -> out.text(null))))
        .isInstanceOf(UncheckedIOException.class);
    assertThatThrownBy(() -> codec(out -> {}, Input::number).decode("[1]".getBytes(UTF_8)))
        .as("the format of earlier versions")
        .isInstanceOf(UncheckedIOException.class);
  }

  @Test
  void truncatedOrTooLongInput_isRejected() {
    Consumer<Output> writer =
        out -> {
          out.number(1_000_000);
          out.text("text");
          out.lease(null);
        };
    Reader<String> reader = in -> in.number() + in.text() + in.leaseOrNull();
    StateCodec<String> codec = codec(writer, reader);
    byte[] whole = codec.encode("");
    assertThat(codec.decode(whole)).isEqualTo("1000000textnull");
    for (int length = 0; length <= whole.length + 1; length++) {
      byte[] bytes = Arrays.copyOf(whole, length);
      if (length != whole.length) {
        assertThatThrownBy(() -> codec.decode(bytes)).isInstanceOf(UncheckedIOException.class);
      }
    }
  }

  @Test
  void textLongerThanInput_isRejected() {
    for (String claimed : List.of("7a7fffffff41", "7bffffffffffffffff41", "7b000000010000000141")) {
      assertThatThrownBy(
              () -> codec(out -> {}, Input::text).decode(HexFormat.of().parseHex(claimed)))
          .isInstanceOf(UncheckedIOException.class)
          .hasMessageContaining("a text of");
    }
  }
}
