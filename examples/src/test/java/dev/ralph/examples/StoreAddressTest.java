package dev.ralph.examples;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.ralph.Ralph;
import dev.ralph.log.RalphException;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Opens stores by address, with two store kinds on the class path. */
class StoreAddressTest {

  @TempDir Path temp;

  @ParameterizedTest
  @ValueSource(strings = {"file", "chronicle"})
  void printedAddress_opensTheStore(String kind) {
    String address;
    try (Ralph ralph = Ralph.builder().store(kind).directory(temp.resolve("store")).open()) {
      ralph.session("auth").tasks().add("Write the form");
      address = ralph.log().info().location();
    }
    try (Ralph again = Ralph.open(address)) {
      assertThat(again.session("auth").tasks().get("t1").content()).isEqualTo("Write the form");
    }
  }

  @Test
  void addressAsFolder_isRejected() {
    assertThatThrownBy(() -> Ralph.open(Path.of("chronicle:" + temp)))
        .isInstanceOf(RalphException.class)
        .hasMessageContaining("is the address of a store, not a folder");
  }
}
