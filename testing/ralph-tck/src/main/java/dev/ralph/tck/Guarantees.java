package dev.ralph.tck;

import dev.ralph.log.StoreInfo;
import dev.ralph.log.StoreInfo.Capability;
import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import org.jspecify.annotations.Nullable;

/** The table of a store's guarantees, as printed and committed. */
final class Guarantees {

  /** The system property with the directory to write the table to. */
  static final String WRITE_TO = "ralph.tck.guarantees";

  private final StoreFixture fixture;
  private final StoreInfo info;

  Guarantees(StoreFixture fixture, StoreInfo info) {
    this.fixture = fixture;
    this.info = info;
  }

  String fileName() {
    return "guarantees-" + info.kind() + ".md";
  }

  /** Returns the table as Markdown. */
  String table() {
    StringBuilder table = new StringBuilder();
    table.append("| `").append(info.kind()).append("` | |\n|---|---|\n");
    for (Capability capability : Capability.values()) {
      row(
          table,
          capability + ": " + meaning(capability),
          given(info.capabilities().contains(capability)));
    }
    row(table, "Snapshots are kept", given(fixture.keepsSnapshots()));
    row(
        table,
        "Appends wait for a process that is stopped amid one, and fail with LOCKED",
        !info.capabilities().contains(Capability.MULTI_PROCESS)
            ? "there is no other"
            : fixture.appendsUnderLock() ? "yes" : "no");
    row(table, "Largest content of a frame, in bytes of UTF-8", "" + info.maxContentBytes());
    row(table, "Most frames in a batch", "" + info.maxBatchFrames());
    return table.toString();
  }

  private static void row(StringBuilder table, String left, String right) {
    table.append("| ").append(left).append(" | ").append(right).append(" |\n");
  }

  private static String given(boolean is) {
    return is ? "given" : "not given";
  }

  private static String meaning(Capability capability) {
    switch (capability) {
      case PERSISTENT:
        return "frames outlive the process";
      case MULTI_PROCESS:
        return "several processes may use it at once";
      case MINTS_IDS:
        return "ids increase with positions";
      case SYNC:
        return "an append that asked to be synced survives a power cut";
      case DETECTS_DAMAGE:
        return "damaged frames are detected and never returned";
      case ERASES:
        return "frames can be erased";
      case COMPACTS:
        return "the space of erased frames can be given back";
      default:
        throw new AssertionError("say what " + capability + " means");
    }
  }

  /**
   * Fails unless the table equals the committed one; only writes the table if the property is set.
   */
  void check() {
    String table = table();
    String directory = System.getProperty(WRITE_TO);
    if (directory != null) {
      write(Path.of(directory).resolve(fileName()), table);
      return;
    }
    String committed = committed();
    if (!table.equals(committed)) {
      throw new AssertionError(
          "what the store '"
              + info.kind()
              + "' guarantees "
              + (committed == null ? "is not committed" : "is not what is committed")
              + ". If that is meant, commit this as src/test/resources/"
              + fileName()
              + ", or have it written by running this test with -D"
              + WRITE_TO
              + "=src/test/resources\n\n"
              + table
              + (committed == null ? "" : "\nCommitted is\n\n" + committed));
    }
  }

  private @Nullable String committed() {
    ClassLoader loader = fixture.getClass().getClassLoader();
    try (InputStream resource = loader.getResourceAsStream(fileName())) {
      return resource == null
          ? null
          : new String(resource.readAllBytes(), StandardCharsets.UTF_8).replace("\r\n", "\n");
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  private static void write(Path file, String table) {
    try {
      Files.createDirectories(file.toAbsolutePath().getParent());
      Files.writeString(file, table);
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }
}
