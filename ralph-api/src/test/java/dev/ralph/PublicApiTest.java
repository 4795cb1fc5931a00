package dev.ralph;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.Test;

/** Compares the public API with {@code api.txt}, which {@code -Dapi.update=true} rewrites. */
class PublicApiTest {

  @Test
  void publicApi_equalsListing() throws Exception {
    Path file = Path.of("api.txt");
    List<String> listing =
        ApiListing.of(
            Path.of(Ralph.class.getProtectionDomain().getCodeSource().getLocation().toURI()));
    if (Boolean.getBoolean("api.update")) {
      Files.write(file, listing);
    }

    assertThat(listing)
        .as(
            "api.txt; mvn test -pl ralph-api -Dtest=PublicApiTest -Dapi.update=true rewrites the file")
        .isEqualTo(Files.readAllLines(file));
  }
}
