package dev.ralph.openspec.internal;

import static org.assertj.core.api.Assertions.assertThat;

import dev.ralph.core.internal.text.BoxPlace;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** All mutated files are readable, and a tick changes only one byte. */
class MutatedFilesTest {

  /** {@code -Dopenspec.mutations=1000000} takes some minutes; each tick is synced. */
  private static final int COUNT = Integer.getInteger("openspec.mutations", 1_000);

  private static final long SEED = Long.getLong("openspec.seed", 4711);

  @TempDir Path folder;

  private static List<StoryTask> tasks(TaskFile file) {
    List<StoryTask> all = new ArrayList<>();
    file.stories().forEach(story -> all.addAll(story.tasks()));
    return all;
  }

  @Test
  void tick_changesSingleByteInMutatedFile() throws IOException {
    Path path = folder.resolve(TaskFile.NAME);
    Mutations mutations = new Mutations(SEED);
    int ticked = 0;
    for (int round = 0; round < COUNT; round++) {
      byte[] bytes = mutations.next();
      TaskFile file = TaskFile.of(bytes);
      SpecFile.read(
          path,
          new String(bytes, StandardCharsets.UTF_8),
          new ArrayList<>(),
          new ArrayList<>(),
          new ArrayList<>());
      List<StoryTask> all = tasks(file);
      if (all.isEmpty()) {
        continue;
      }
      StoryTask task = all.get(mutations.choose(all.size()));
      BoxPlace place = file.place(task);
      if (place.mark() < 0) {
        continue;
      }
      Files.write(path, bytes);
      assertThat(TaskTick.set(path, task, place)).isTrue();
      ticked++;

      byte[] after = Files.readAllBytes(path);
      byte[] expected = bytes.clone();
      expected[(int) place.begin() + place.mark()] = 'x';
      if (!java.util.Arrays.equals(expected, after)) {
        assertThat(after).as("round %d seed %d", round, SEED).isEqualTo(expected);
      }
      StoryTask done = task.ticked();
      List<StoryTask> others = new ArrayList<>(all);
      others.set(all.indexOf(task), done);
      if (!tasks(TaskFile.of(after)).equals(others)) {
        assertThat(tasks(TaskFile.of(after))).as("round %d seed %d", round, SEED).isEqualTo(others);
      }
    }
    assertThat(ticked).isGreaterThan(COUNT / 2);
  }
}
