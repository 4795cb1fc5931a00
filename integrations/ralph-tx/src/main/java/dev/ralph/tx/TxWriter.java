package dev.ralph.tx;

import dev.ralph.domain.Priority;
import dev.ralph.domain.Timestamp;
import dev.ralph.log.RalphException;
import dev.ralph.store.support.PrivateFiles;
import java.io.FileOutputStream;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.FileAlreadyExistsException;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.time.Clock;
import java.time.Instant;
import java.util.List;
import java.util.Locale;
import java.util.Objects;
import java.util.Set;
import java.util.UUID;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/**
 * Writes messages with all fields and in TX's format, each to its own file. Safe for use by many
 * threads and processes.
 */
final class TxWriter {

  /** Values that every YAML parser reads as the same text without quotes. */
  private static final Pattern PLAIN =
      Pattern.compile("[A-Za-z_][A-Za-z0-9_./-]*( [A-Za-z0-9_][A-Za-z0-9_./-]*)*");

  /** Words that a YAML parser may read as another type than a text. */
  private static final Set<String> WORDS =
      Set.of("null", "true", "false", "yes", "no", "on", "off", "y", "n");

  private static final String PART = ".part";

  private final Path folder;
  private final Clock clock;

  /**
   * Creates a writer.
   *
   * @param folder the folder of the files, such as {@code .ai/tx/msgs}
   * @param clock the time for messages without a timestamp
   */
  TxWriter(Path folder, Clock clock) {
    this.folder = Objects.requireNonNull(folder, "folder");
    this.clock = Objects.requireNonNull(clock, "clock");
  }

  /** See {@link TxFolder#write}. */
  Path write(TxMessage message) {
    TxMessage complete = complete(message);
    String name = TxName.of(complete);
    Path part = folder.resolve("." + UUID.randomUUID() + PART);
    try {
      fill(part, complete);
      return name(part, name);
    } finally {
      part.toFile().delete();
    }
  }

  /**
   * Writes a message to a part file, which readers ignore until it is {@linkplain #publish
   * published}.
   *
   * @return the name of the published file
   * @throws RalphException as {@link #write} does
   */
  String setAside(TxMessage message) {
    TxMessage complete = complete(message);
    String name = TxName.of(complete);
    if (Files.exists(folder.resolve(name))) {
      throw taken(folder.resolve(name), null);
    }
    fill(part(name), complete);
    return name;
  }

  /**
   * Publishes a part file under its name; does nothing if there is no part file. The sender and a
   * process that assumes the sender's death may publish at the same time.
   */
  void publish(String name) {
    Path part = part(name);
    try {
      if (Files.exists(part) && Files.notExists(folder.resolve(name))) {
        link(part, folder.resolve(name));
      }
      Files.deleteIfExists(part);
    } catch (FileAlreadyExistsException | NoSuchFileException e) {
      if (Files.notExists(folder.resolve(name))) {
        throw PrivateFiles.failure("cannot write " + folder.resolve(name), e);
      }
    } catch (IOException e) {
      throw PrivateFiles.failure("cannot write " + folder.resolve(name), e);
    }
  }

  /** Returns the part file for a name. */
  Path part(String name) {
    return folder.resolve("." + name + PART);
  }

  /** Returns the name for which a part file was written, or null if the file is not a part file. */
  static @Nullable String ofPart(String file) {
    int end = file.length() - PART.length();
    return file.startsWith(".") && file.endsWith(TxName.EXTENSION + PART)
        ? file.substring(1, end)
        : null;
  }

  private void fill(Path part, TxMessage complete) {
    try {
      Files.createFile(part);
      try (FileOutputStream out = new FileOutputStream(part.toFile())) {
        out.write(format(complete).getBytes(StandardCharsets.UTF_8));
        out.getFD().sync();
      }
    } catch (FileAlreadyExistsException e) {
      throw RalphException.invalid(
          "a message with this msg-id is being sent; choose a different msg-id", e);
    } catch (NoSuchFileException e) {
      throw RalphException.notFound(
          "no folder " + folder + "; create it or name the folder that TX uses");
    } catch (IOException e) {
      part.toFile().delete();
      throw PrivateFiles.failure("cannot write to " + folder, e);
    }
  }

  private Path name(Path part, String name) {
    Path file = folder.resolve(name);
    try {
      link(part, file);
      return file;
    } catch (FileAlreadyExistsException e) {
      throw taken(file, e);
    } catch (IOException e) {
      throw PrivateFiles.failure("cannot write " + file, e);
    }
  }

  private void link(Path part, Path file) throws IOException {
    try {
      Files.createLink(file, part);
    } catch (UnsupportedOperationException e) {
      throw RalphException.unsupported(
          "cannot write " + file + ": its file system does not support hard links", e);
    }
    Files.deleteIfExists(part);
    PrivateFiles.syncDirectory(folder);
  }

  private static RalphException taken(Path file, @Nullable Throwable cause) {
    return RalphException.invalid(
        file
            + " already exists: a message of the same second, type and agents has this msg-id;"
            + " choose a different msg-id",
        cause);
  }

  private TxMessage complete(TxMessage given) {
    Instant time = given.timestamp();
    TxMessage message = given.timestamp(time == null ? clock.instant() : time);
    TxAddress from = message.from();
    if (message.requester() == null && message.inReplyTo() == null && from != null) {
      message = message.requester(from);
    }
    List<String> missing = message.missing();
    if (!missing.isEmpty()) {
      throw RalphException.invalid(
          "the message lacks "
              + String.join(", ", missing)
              + (missing.contains(TxField.REQUESTER) && message.inReplyTo() != null
                  ? "; an answer has the requester of its thread"
                  : ""));
    }
    Instant deadline = message.deadline();
    if (deadline != null && !clock.instant().isBefore(deadline)) {
      throw RalphException.invalid(
          "the deadline "
              + deadline
              + " is past, so the message would not be delivered; set a"
              + " later deadline");
    }
    return message;
  }

  /** Returns a complete message in the format of the files. */
  private static String format(TxMessage message) {
    StringBuilder text = new StringBuilder("---\n");
    add(text, TxField.TO, message.to());
    add(text, TxField.FROM, message.from());
    add(text, TxField.TYPE, Objects.requireNonNull(message.type()).word());
    add(text, TxField.STATUS, message.status());
    add(text, TxField.REQUESTER, message.requester());
    add(text, TxField.ID, message.id());
    add(text, TxField.IN_REPLY_TO, message.inReplyTo());
    add(text, TxField.HEADLINE, message.headline());
    addTime(text, TxField.TIMESTAMP, message.timestamp());
    if (message.priority() != Priority.NORMAL) {
      add(text, TxField.PRIORITY, message.priority().word());
    }
    if (!message.tags().isEmpty()) {
      String tags = message.tags().stream().map(TxWriter::yaml).collect(Collectors.joining(", "));
      text.append(TxField.TAGS).append(": [").append(tags).append("]\n");
    }
    addTime(text, TxField.DEADLINE, message.deadline());
    return text.append("---\n\n").append(message.body()).append('\n').toString();
  }

  private static void add(StringBuilder text, String field, @Nullable Object value) {
    if (value != null) {
      text.append(field).append(": ").append(yaml(value.toString())).append('\n');
    }
  }

  private static void addTime(StringBuilder text, String field, @Nullable Instant time) {
    if (time != null) {
      text.append(field).append(": ").append(Timestamp.of(time)).append('\n');
    }
  }

  private static String yaml(String value) {
    if (PLAIN.matcher(value).matches() && !WORDS.contains(value.toLowerCase(Locale.ROOT))) {
      return value;
    }
    StringBuilder quoted = new StringBuilder("\"");
    value
        .codePoints()
        .forEach(
            c -> {
              if (c == '"' || c == '\\') {
                quoted.append('\\').appendCodePoint(c);
              } else if (isPrintable(c)) {
                quoted.appendCodePoint(c);
              } else {
                quoted.append(String.format("\\U%08x", c));
              }
            });
    return quoted.append('"').toString();
  }

  /**
   * Returns whether YAML defines a character as printable, for the characters that fields can
   * contain.
   */
  private static boolean isPrintable(int c) {
    return c < 0xfffe || c > 0xffff;
  }
}
