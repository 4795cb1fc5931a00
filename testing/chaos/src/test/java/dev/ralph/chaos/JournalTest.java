package dev.ralph.chaos;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class JournalTest {

  @TempDir Path temp;

  @Test
  void truncatedLine_isNotPartOfTheNext() throws IOException {
    Path file = temp.resolve("writer-0.journal");
    try (Journal journal = Journal.open(file)) {
      journal.tried(1);
      journal.done(1, true, List.of("a", "b"));
      journal.tried(2);
    }
    long whole = Files.size(file);
    try (Journal journal = Journal.open(file)) {
      journal.done(2, true, List.of("c", "d"));
    }
    long end = Files.size(file);

    for (long cut = whole; cut < end; cut++) {
      Path torn = Files.copy(file, temp.resolve("torn-at-" + cut));
      try (FileChannel channel = FileChannel.open(torn, StandardOpenOption.WRITE)) {
        channel.truncate(cut);
      }
      try (Journal journal = Journal.open(torn)) {
        journal.tried(3);
      }

      Journal.Account account = Journal.read(torn);
      assertThat(account.tried()).as("cut at " + cut).containsExactlyInAnyOrder(1, 2, 3);
      assertThat(account.acknowledged()).as("cut at " + cut).containsOnlyKeys(1);
      assertThat(account.acknowledged().get(1).ids()).containsExactly("a", "b");
    }
  }
}
