package dev.ralph.servlet;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.net.URISyntaxException;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

class RequestAddressTest {

  /** Null is an empty column. */
  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      value = {
        "/shop | /ralph | /enter      | /shop/ralph   | /shop/ralph/enter",
        "/shop | /ralph |             | /shop/ralph   | /shop/ralph",
        "      | /ralph | /enter      | /ralph        | /ralph/enter",
        "      |        | /enter      |               | /enter",
        "      |        | //enter     |               | //enter",
        "/a b  | /rälph | /ü+%3F?#;=  | /a%20b/r%C3%A4lph | /a%20b/r%C3%A4lph/%C3%BC%2B%253F%3F%23;=",
      })
  void path_isEncodedAnew(String context, String servlet, String below, String mount, String path)
      throws Exception {
    RequestAddress address =
        RequestAddress.of(empty(context), empty(servlet), below, "names=a&b=%20ü");

    assertThat(address.mount()).isEqualTo(empty(mount));
    assertThat(address.uri().getRawPath()).isEqualTo(path);
    assertThat(address.uri().getRawQuery()).isEqualTo("names=a&b=%20ü");
  }

  private static String empty(String text) {
    return text == null ? "" : text;
  }

  /** Composed and decomposed letters are different names. */
  @Test
  void unicodeForm_isKept() throws Exception {
    assertThat(RequestAddress.of("", "", "/a\u0308", null).uri().getRawPath())
        .isEqualTo("/a%CC%88");
    assertThat(RequestAddress.of("", "", "/a\u0308", null).uri().getRawQuery()).isNull();
  }

  @ParameterizedTest
  @ValueSource(strings = {"a=%zz", "a=%", "a=b|c", "a=\"", "a=<b>", "a=b c", "a=\\"})
  void malformedQuery_isRejected(String query) {
    assertThatThrownBy(() -> RequestAddress.of("", "/ralph", "/enter", query))
        .isInstanceOf(URISyntaxException.class);
  }
}
