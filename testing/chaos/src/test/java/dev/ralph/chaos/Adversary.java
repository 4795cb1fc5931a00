package dev.ralph.chaos;

import java.io.IOException;
import java.io.RandomAccessFile;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collections;
import java.util.List;
import java.util.Random;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import java.util.zip.CRC32C;

/**
 * Damages a store like an attacker who knows the format and recomputes checksums that need no
 * secret.
 */
final class Adversary {

  private static final int MOST_CHANGES = 3;
  private static final int HUGE = 1 << 20;
  private static final long SPARSE = 64L << 20;

  private static final List<String> NUMBERS =
      List.of(
          "0",
          "-1",
          "1",
          "700",
          "2147483647",
          "-2147483648",
          "4294967295",
          "2000000000",
          "9223372036854775807",
          "-9223372036854775808",
          "99999999999999999999999",
          "1e999",
          "0.5");

  private static final long[] BINARY = {
    0, -1, 1, Integer.MAX_VALUE, Integer.MIN_VALUE, 1L << 31, Long.MAX_VALUE, Long.MIN_VALUE
  };

  private static final Pattern NUMBER = Pattern.compile("-?\\d+");
  private static final Pattern STRING = Pattern.compile("\"([^\"\\\\]*)\"");
  private static final String EXCERPT = "RCX1";

  private final Path store;
  private final Path other;
  private final Path outside;
  private final Random random;
  private final List<String> done = new ArrayList<>();

  /**
   * Creates an adversary.
   *
   * @param store the store to change
   * @param other a store to take files from
   * @param outside files that the store should refer to
   * @param random decides the changes
   */
  Adversary(Path store, Path other, Path outside, Random random) {
    this.store = store;
    this.other = other;
    this.outside = outside;
    this.random = random;
  }

  /** Makes a few changes and returns their descriptions. */
  List<String> change() throws IOException {
    int count = 1 + random.nextInt(MOST_CHANGES);
    for (int i = 0; i < count; i++) {
      switch (random.nextInt(10)) {
        case 0, 1, 2, 3, 4 -> changeFile();
        case 5 -> linkFile();
        case 6 -> linkFolder();
        case 7 -> otherKind();
        case 8 -> takeFromOther();
        default -> forge();
      }
    }
    return done;
  }

  // ---- selection of files

  private Path any(boolean folder) throws IOException {
    List<Path> found = new ArrayList<>();
    try (Stream<Path> all = Files.walk(store)) {
      all.filter(
              each ->
                  folder
                      ? Files.isDirectory(each, LinkOption.NOFOLLOW_LINKS)
                      : Files.isRegularFile(each, LinkOption.NOFOLLOW_LINKS))
          .filter(each -> !each.equals(store))
          .sorted()
          .forEach(found::add);
    }
    return found.isEmpty() ? null : found.get(random.nextInt(found.size()));
  }

  private void note(String what, Path path) {
    done.add(what + " " + store.relativize(path));
  }

  // ---- bytes of a file

  private void changeFile() throws IOException {
    Path file = any(false);
    if (file == null) {
      return;
    }
    String name = file.getFileName().toString();
    boolean isLarge = Files.size(file) > 4 * HUGE;
    switch (random.nextInt(isLarge ? 3 : 10)) {
      case 0 -> {
        note("truncated", file);
        truncate(file);
      }
      case 1 -> {
        note("extended by zeros", file);
        try (RandomAccessFile open = new RandomAccessFile(file.toFile(), "rw")) {
          open.setLength(open.length() + (random.nextInt(20) == 0 ? SPARSE : HUGE));
        }
      }
      case 2 -> {
        note("bits of", file);
        changeInPlace(file);
      }
      case 3 -> {
        note("zeros in place of", file);
        Files.write(file, new byte[(int) Files.size(file)]);
      }
      default -> {
        if (name.endsWith(".snapshot") && random.nextBoolean()) {
          note("forged", file);
          forgeSnapshot(file);
        } else if (isText(file)) {
          note("text of", file);
          mutateText(file, random);
        } else {
          note("bytes of", file);
          changeInPlace(file);
        }
      }
    }
  }

  private void truncate(Path file) throws IOException {
    try (RandomAccessFile open = new RandomAccessFile(file.toFile(), "rw")) {
      open.setLength((long) (open.length() * random.nextDouble()));
    }
  }

  /** Changes a few bytes or replaces them by extreme numbers. */
  private void changeInPlace(Path file) throws IOException {
    try (RandomAccessFile open = new RandomAccessFile(file.toFile(), "rw")) {
      long length = Math.min(open.length(), HUGE);
      if (length < Long.BYTES) {
        return;
      }
      byte[] bytes = new byte[(int) length];
      open.readFully(bytes);
      int excerpt = new String(bytes, StandardCharsets.ISO_8859_1).indexOf(EXCERPT);
      for (int i = random.nextInt(4); i >= 0; i--) {
        int from = excerpt > 0 && random.nextBoolean() ? excerpt : 0;
        change(bytes, from + random.nextInt(bytes.length - from));
      }
      if (excerpt > 0) {
        forgeExcerpts(bytes);
      }
      open.seek(0);
      open.write(bytes);
    }
  }

  private void change(byte[] bytes, int at) {
    long number = BINARY[random.nextInt(BINARY.length)];
    int aligned = at & ~3;
    switch (random.nextInt(3)) {
      case 0 -> bytes[at] ^= (byte) (1 << random.nextInt(8));
      case 1 -> {
        if (aligned + Integer.BYTES <= bytes.length) {
          ByteBuffer.wrap(bytes).putInt(aligned, (int) number);
        }
      }
      default -> {
        if (aligned + Long.BYTES <= bytes.length) {
          ByteBuffer.wrap(bytes).putLong(aligned, number);
        }
      }
    }
  }

  /** Recomputes the checksums of Chronicle excerpts, over the store's id and the excerpt. */
  private void forgeExcerpts(byte[] bytes) throws IOException {
    Matcher id = Pattern.compile("\"store\":\"(\\w+)\"").matcher(text(store.resolve("store.json")));
    if (!id.find()) {
      return;
    }
    String all = new String(bytes, StandardCharsets.ISO_8859_1);
    for (int at = all.indexOf(EXCERPT); at >= 4; at = all.indexOf(EXCERPT, at + 4)) {
      int length = Integer.reverseBytes(ByteBuffer.wrap(bytes).getInt(at - 4)) & 0x3fffffff;
      if (length > 8 && length <= bytes.length - at) {
        CRC32C crc = new CRC32C();
        crc.update(id.group(1).getBytes(StandardCharsets.US_ASCII));
        crc.update(bytes, at + 8, length - 8);
        ByteBuffer.wrap(bytes).putInt(at + 4, (int) crc.getValue());
      }
    }
  }

  /** Changes a snapshot and recomputes its checksum. */
  private void forgeSnapshot(Path file) throws IOException {
    byte[] bytes = Files.readAllBytes(file);
    int header = 16;
    if (bytes.length < header + Long.BYTES) {
      return;
    }
    int names = ByteBuffer.wrap(bytes).getInt(12);
    for (int i = random.nextInt(3); i >= 0; i--) {
      int from = names > 0 && header + names < bytes.length ? header + names : header;
      change(bytes, from + random.nextInt(bytes.length - from));
    }
    CRC32C crc = new CRC32C();
    crc.update(bytes, header, bytes.length - header);
    ByteBuffer.wrap(bytes).putLong(4, crc.getValue());
    Files.write(file, bytes);
  }

  // ---- text

  private static String text(Path file) throws IOException {
    return Files.isRegularFile(file, LinkOption.NOFOLLOW_LINKS)
        ? new String(Files.readAllBytes(file), StandardCharsets.ISO_8859_1)
        : "";
  }

  private static boolean isText(Path file) throws IOException {
    String text = text(file);
    return !text.isEmpty() && text.indexOf('\0') < 0;
  }

  /** Changes, moves, repeats or removes lines of a file. */
  static void mutateText(Path file, Random random) throws IOException {
    List<String> lines = new ArrayList<>(Arrays.asList(text(file).split("\n", -1)));
    int at = random.nextInt(lines.size());
    int with = random.nextInt(lines.size());
    switch (random.nextInt(12)) {
      case 0 -> Collections.swap(lines, at, with);
      case 1 -> lines.add(at, lines.get(with));
      case 2 -> lines.remove(at);
      case 3 -> lines.add(at, "q".repeat(random.nextBoolean() ? 10 : HUGE));
      default -> {
        for (int i = random.nextInt(3); i >= 0; i--) {
          int line = random.nextInt(lines.size());
          lines.set(line, forgedLine(lines.get(line), random));
        }
      }
    }
    Files.write(file, String.join("\n", lines).getBytes(StandardCharsets.ISO_8859_1));
  }

  /** Returns a changed line, usually with a correct checksum if the line had one. */
  private static String forgedLine(String line, Random random) {
    String bare = ForgedLine.withoutChecksum(line);
    String changed = changed(bare == null ? line : bare, random);
    return bare == null || random.nextInt(10) == 0
        ? changed + line.substring(bare == null ? line.length() : bare.length())
        : ForgedLine.checksummed(changed);
  }

  private static String changed(String text, Random random) {
    return switch (random.nextInt(8)) {
      case 0, 1, 2 -> replaced(text, NUMBER, pick(NUMBERS, random), random);
      case 3, 4, 5 -> replaced(text, STRING, '"' + nasty(random) + '"', random);
      case 6 -> text.replaceFirst("\"content\":\".*\"", "\"content_ref\":\"" + nasty(random) + '"');
      default -> replaced(text, Pattern.compile("\\{[^{}]*\\}"), "[".repeat(HUGE / 4), random);
    };
  }

  private static String nasty(Random random) {
    return pick(
        List.of(
            "",
            "x",
            "../../../outside/" + GuardedTree.VICTIM,
            "sha256-../../../../outside/" + GuardedTree.VICTIM,
            "/proc/self/mem",
            "sha256-" + "0".repeat(64),
            "ralph.auth.task",
            "a..b",
            "\\ud800",
            "\\u0000",
            "n".repeat(HUGE / 4),
            "9999-12-31T23:59:59.999Z",
            "+999999999-12-31T23:59:59.999999999Z",
            "-1",
            "t1",
            "zzzzzzzzzzzzzzzzzzzzzzzzz",
            "add",
            "done"),
        random);
  }

  private static <T> T pick(List<T> from, Random random) {
    return from.get(random.nextInt(from.size()));
  }

  private static String replaced(String text, Pattern pattern, String with, Random random) {
    List<int[]> found = new ArrayList<>();
    Matcher matcher = pattern.matcher(text);
    while (matcher.find()) {
      found.add(new int[] {matcher.start(), matcher.end()});
    }
    if (found.isEmpty()) {
      return text + with;
    }
    int[] place = pick(found, random);
    return text.substring(0, place[0]) + with + text.substring(place[1]);
  }

  // ---- links and special files

  private void linkFile() throws IOException {
    Path file = any(false);
    if (file != null) {
      Path target =
          pick(
              List.of(
                  outside.resolve(GuardedTree.VICTIM),
                  outside.resolve("made"),
                  outside.resolve("folder"),
                  outside.resolve("store").resolve(store.relativize(file)),
                  file,
                  Path.of("/dev/zero"),
                  Path.of("/dev/null"),
                  Path.of(".")),
              random);
      note("a link to " + target + " in place of", file);
      Files.delete(file);
      Files.createSymbolicLink(file, target);
    }
  }

  private void linkFolder() throws IOException {
    Path folder = any(true);
    if (folder != null) {
      Path target =
          pick(
              List.of(
                  outside.resolve("empty"),
                  outside.resolve("folder"),
                  outside.resolve("made"),
                  outside.resolve("store").resolve(store.relativize(folder)),
                  outside.resolve("store").resolve(store.relativize(folder)),
                  folder,
                  Path.of("..")),
              random);
      note("a link to " + target + " in place of", folder);
      Folder.delete(folder);
      Files.createSymbolicLink(folder, target);
    }
  }

  private void otherKind() throws IOException {
    boolean folder = random.nextInt(3) == 0;
    Path path = any(folder);
    if (path == null) {
      return;
    }
    Folder.delete(path);
    switch (random.nextInt(4)) {
      case 0 -> note("deleted", path);
      case 1 -> {
        note("a pipe in place of", path);
        Folder.makePipe(path);
      }
      case 2 -> {
        note("a folder in place of", path);
        Files.createDirectories(path.resolve("deeper"));
      }
      default -> {
        note("a file in place of", path);
        Files.writeString(path, "no folder");
      }
    }
  }

  // ---- files of other stores

  private void takeFromOther() throws IOException {
    Path from = random.nextInt(3) == 0 ? any(true) : any(false);
    if (from == null) {
      return;
    }
    Path there = other.resolve(store.relativize(from));
    if (Files.exists(there)) {
      note("another store's", from);
      Folder.delete(from);
      Folder.copy(there, from);
    }
  }

  private void forge() throws IOException {
    String victim = outside.resolve(GuardedTree.VICTIM).toString();
    List<String[]> forged =
        List.of(
            new String[] {"erasing", "content " + victim + "\n"},
            new String[] {"erasing", "content sha256-../../../outside/victim.txt\n"},
            new String[] {"erasing", "frame 1 700 60 abcdefg\n"},
            new String[] {"erasing", "frame 1 100 2000000000 x\n"},
            new String[] {"erasing", "frame 99999999 0 60 abcdefg\nnotice a..b x\n"},
            new String[] {"erasing", "frame\n"},
            new String[] {"erased", "9223372036854775807\n"},
            new String[] {"erased", "-1\n"},
            new String[] {"rolled-back", "2026-11-21T08:30:00Z 9 9 0 9 log/x is gone\n"},
            new String[] {
              "rolled-back",
              "x 9223372036854775807 -1 -9223372036854775808 9223372036854775807 x y\n"
            },
            new String[] {"log/99999999.jsonl", "{}\n"},
            new String[] {"log/00000009.jsonl", ""},
            new String[] {"queue/99991231F.cq4", "x"},
            new String[] {"queue/20990101F.cq4.aside", "x"},
            new String[] {"end", ""},
            new String[] {".git/config", "[core]\n\tfsmonitor = touch " + victim + "\n"},
            new String[] {"damaged/x", "x"},
            new String[] {"lock", "99999999999999999\n"});
    String[] file = pick(forged, random);
    Path path = store.resolve(file[0]);
    note("forged", path);
    if (Files.isDirectory(path.getParent(), LinkOption.NOFOLLOW_LINKS)
        && !Files.isDirectory(path, LinkOption.NOFOLLOW_LINKS)) {
      Files.deleteIfExists(path);
      Files.writeString(path, file[1]);
    }
  }
}
