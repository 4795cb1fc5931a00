package dev.ralph.store.chronicle;

import static org.assertj.core.api.Assertions.assertThat;

import dev.ralph.RalphException;
import dev.ralph.spi.FrameStore;
import dev.ralph.spi.StoreConfig;
import dev.ralph.store.support.HashedContentStore;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.time.Clock;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** What a killed writer leaves beside the log is found and removed, and nothing else is. */
class LeftFilesTest {

  private static final Clock IN_TWO_DAYS = Clock.offset(Clock.systemUTC(), Duration.ofDays(2));

  @TempDir Path temp;

  @Test
  void aContentThatNoFrameNamesIsRemovedAfterADay() {
    Path directory = temp.resolve("store");
    try (FrameStore store = open(Clock.systemUTC())) {
      TestQueue.append(store, large("needed"));
    }
    String address =
        new HashedContentStore(directory.resolve("content"))
            .put(large("left").getBytes(StandardCharsets.UTF_8));
    String left = "content/" + address.substring(7, 9) + "/" + address;
    try (FrameStore store = open(Clock.systemUTC())) {
      assertThat(store.leftovers()).as("may be about to be named").isEmpty();
    }
    try (FrameStore later = open(IN_TWO_DAYS)) {
      assertThat(later.leftovers()).containsExactly(left);
      assertThat(later.removeLeftovers()).containsExactly(left);
      assertThat(directory.resolve(left)).doesNotExist();
      assertThat(TestQueue.read(later).contents()).containsExactly(large("needed"));
      assertThat(later.verify()).isEmpty();
    }
  }

  @Test
  void whatIsAppendedWhileLeftoversAreRemovedStaysReadable() {
    List<String> texts = new ArrayList<>();
    try (FrameStore store = open(Clock.systemUTC());
        FrameStore later = open(IN_TWO_DAYS)) {
      CompletableFuture<?> appends =
          CompletableFuture.runAsync(
              () -> {
                for (int i = 0; i < 100; i++) {
                  texts.add(large("number " + i));
                  append(store, large("number " + i));
                }
              });
      while (!appends.isDone()) {
        later.removeLeftovers();
      }
      appends.join();
      assertThat(TestQueue.read(store).contents()).isEqualTo(texts);
      assertThat(store.verify()).isEmpty();
    }
  }

  /** Appends, and does so again where a file of content was removed before it was finished. */
  private static void append(FrameStore store, String text) {
    while (true) {
      try {
        TestQueue.append(store, text);
        return;
      } catch (RalphException e) {
        assertThat(e.code()).as(e.getMessage()).isEqualTo(RalphException.Code.IO);
      }
    }
  }

  private FrameStore open(Clock clock) {
    return new ChronicleStoreProvider().open(StoreConfig.in(temp.resolve("store")).clock(clock));
  }

  private static String large(String text) {
    return text + "x".repeat(BatchExcerpt.INLINE_BYTES);
  }
}
