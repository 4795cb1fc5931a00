package dev.ralph.internal;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.ralph.log.RalphException;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class StoreLocationTest {

  @ParameterizedTest
  @CsvSource({
    "/a/store, file, /a/store, /a/store",
    "store, file, store, store",
    "file:store, file, store, store",
    "file:a:b, file, a:b, a:b",
    "file:chronicle:b, file, chronicle:b, file:chronicle:b",
    "chronicle:/a/store, chronicle, /a/store, chronicle:/a/store",
    "my-store2:x, my-store2, x, my-store2:x",
    "C:/store, file, C:/store, C:/store",
    "c:store, file, c:store, c:store",
    "./chronicle:x, file, ./chronicle:x, ./chronicle:x",
    "a/b:c, file, a/b:c, a/b:c",
    "Chronicle:x, file, Chronicle:x, Chronicle:x",
    "a b:c, file, a b:c, a b:c",
    ":x, file, :x, :x",
    "chronicle::x, chronicle, :x, chronicle::x",
    "postgres://db/team?schema=a, postgres, //db/team?schema=a, postgres://db/team?schema=a",
    "memory, file, memory, memory"
  })
  void location_isParsedAndFormatted(String text, String kind, String place, String written) {
    StoreLocation location = StoreLocation.of(text);
    assertThat(location).isEqualTo(new StoreLocation(kind, place));
    assertThat(location).hasToString(written);
    assertThat(StoreLocation.of(written)).as("formatted and parsed again").isEqualTo(location);
  }

  @ParameterizedTest
  @CsvSource({"'', 'file:'", "file:, 'file:'", "chronicle:, 'chronicle:'", "no-such:, 'no-such:'"})
  void locationWithoutFolder_isRejected(String text, String shown) {
    assertThatThrownBy(() -> StoreLocation.of(text))
        .isInstanceOf(RalphException.class)
        .hasMessage("the address '" + shown + "' has no folder");
  }

  @ParameterizedTest
  @CsvSource({"/a/store, /a/store", "chronicle:b, b", "//a, /a", "file://a, /a", "ab://c,"})
  void serverLocation_hasNoFolder(String text, String folder) {
    StoreLocation location = StoreLocation.of(text);
    assertThat(location.isServer()).isEqualTo(folder == null);
    assertThat(location.folder()).isEqualTo(folder == null ? null : Path.of(folder));
  }

  @Test
  void invalidKind_isRejected() {
    assertThatThrownBy(() -> new StoreLocation("A kind", "x"))
        .isInstanceOf(RalphException.class)
        .hasMessage("'A kind' is not a kind of store");
  }
}
