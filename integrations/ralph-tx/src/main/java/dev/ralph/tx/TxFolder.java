package dev.ralph.tx;

import dev.ralph.core.internal.text.PlainPath;
import dev.ralph.log.RalphException;
import dev.ralph.store.support.PrivateFiles;
import dev.ralph.store.support.internal.folder.StoreFolder;
import java.io.IOException;
import java.nio.file.DirectoryStream;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.NotDirectoryException;
import java.nio.file.Path;
import java.time.Clock;
import java.time.Instant;
import java.time.ZoneOffset;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * The folder of TX in a project, {@code .ai/tx}: its messages are the files in {@code msgs}.
 * Immutable; safe for use by many threads.
 */
public final class TxFolder {

  /** The path of the folder in a project. */
  public static final String USUAL = ".ai/tx";

  private static final String[] NONE = {};
  private static final String MESSAGES = "msgs";
  private static final String ROUTING = "meshes/mesh-configs";

  private final Path path;
  private final Path messages;
  private final TxReader reader;
  private final TxWriter writer;

  private TxFolder(Path path, TxReader reader) {
    this.path = path;
    this.messages = path.resolve(MESSAGES);
    this.reader = reader;
    this.writer = new TxWriter(messages, Clock.systemUTC());
  }

  /** Returns the folder at a path. The folder need not exist. */
  public static TxFolder of(Path path) {
    return new TxFolder(
        StoreFolder.locate(Objects.requireNonNull(path, "path")), new TxReader(ZoneOffset.UTC));
  }

  /** Returns the absolute path. */
  public Path path() {
    return path;
  }

  /** Returns the folder of the messages. */
  public Path messages() {
    return messages;
  }

  /**
   * Returns the folder of the mesh routing: {@code meshes/mesh-configs} in the project, or in this
   * folder if its path is not the {@linkplain #USUAL usual path}.
   */
  public Path routing() {
    return project().resolve(ROUTING);
  }

  /** Returns the folder that contains the usual path, or this folder if its path differs. */
  private Path project() {
    Path above = path.getParent();
    Path project = path.endsWith(USUAL) && above != null ? above.getParent() : path;
    return project == null ? path : project;
  }

  /**
   * Creates the folder of the messages if it is missing.
   *
   * @throws RalphException INVALID if a name on its path, below the project, is a symbolic link; IO
   *     if the folder can't be created
   */
  public void makeMessages() {
    requireOwn();
    PrivateFiles.createDirectories(messages);
  }

  /**
   * Rejects symbolic links, because a repository may come from an attacker who has put links into
   * it.
   */
  private void requireOwn() {
    PlainPath.require(project(), messages);
  }

  /** Returns whether a name can be a file name in the folder of the messages. */
  static boolean isFileName(String name) {
    return !name.isEmpty() && name.indexOf('/') < 0 && name.indexOf('\0') < 0;
  }

  /** Returns whether a name is a valid file name and safe to type into a terminal. */
  static boolean isDeliverable(String name) {
    return isFileName(name) && OneLine.isVisible(name);
  }

  /** Checks a file name. Names also come from logs, which an attacker may have written. */
  private static void requireFileName(String name) {
    if (!isFileName(name)) {
      throw RalphException.damaged(
          RalphException.quote(name) + " is not a valid name for a message file");
    }
  }

  /**
   * Returns the names of the files that may be messages, in undefined order; none if the folder
   * does not exist. Reads no files.
   *
   * @throws RalphException IO if the folder can't be read
   */
  public List<String> names() {
    List<String> names = new ArrayList<>();
    for (String name : allNames()) {
      if (isMessage(name)) {
        names.add(name);
      }
    }
    return names;
  }

  /**
   * Returns the names of all files in the folder of the messages. Creating paths for a hundred
   * thousand files would take twice as long.
   */
  String[] allNames() {
    String[] all = messages.toFile().list();
    return all == null ? namesOrFailure() : all;
  }

  /**
   * Lists the folder by its path: in contrast to a {@code File}, a path reports the reason of a
   * failure.
   */
  private String[] namesOrFailure() {
    List<String> names = new ArrayList<>();
    try (DirectoryStream<Path> files = Files.newDirectoryStream(messages)) {
      files.forEach(file -> names.add(String.valueOf(file.getFileName())));
      return names.toArray(NONE);
    } catch (NoSuchFileException | NotDirectoryException none) {
      return NONE;
    } catch (IOException e) {
      throw RalphException.io("cannot read the folder " + messages + ": " + e.getMessage(), e);
    }
  }

  /**
   * Returns whether a file with this name may be a message. Excludes the files of editors and the
   * like.
   */
  static boolean isMessage(String name) {
    return name.endsWith(TxName.EXTENSION) && !name.startsWith(".");
  }

  /**
   * Returns the path of a file.
   *
   * @throws RalphException DAMAGED if the name leads elsewhere
   */
  public Path file(String name) {
    requireFileName(name);
    return messages.resolve(name);
  }

  /**
   * Reads a message, including messages by agents, people and older versions. Unclear parts are
   * reported as warnings.
   *
   * @throws RalphException IO if the file can't be read; INVALID, with file, line and column, if it
   *     does not contain a message, for example while it is being written
   */
  public TxFile read(String name) {
    return reader.read(file(name));
  }

  /**
   * Writes a message to a new file, with all fields and in TX's format. No reader ever sees a part
   * of the file. The file is on disk when the method returns.
   *
   * <p>A message without a timestamp gets the present time. The requester defaults to the sender,
   * unless the message is an answer.
   *
   * @return the file
   * @throws RalphException INVALID if the message lacks a field, or the file exists; NOT_FOUND if
   *     the folder does not exist; FULL or IO if the file can't be written
   */
  public Path write(TxMessage message) {
    requireOwn();
    return writer.write(message);
  }

  /**
   * Returns the message with an id. Files with the id in their name are searched first, then all
   * other files are read. If several files match, the first by name is returned.
   *
   * @throws RalphException NOT_FOUND if there is no such message
   */
  public TxFile find(String id) {
    Objects.requireNonNull(id, "id");
    List<String> names = names();
    names = names.stream().sorted().toList();
    for (boolean isLikely : new boolean[] {true, false}) {
      for (String name : names) {
        if (name.contains("-" + id) == isLikely) {
          TxFile file = readIfAny(name);
          if (file != null && id.equals(file.id())) {
            return file;
          }
        }
      }
    }
    throw RalphException.notFound(
        "no message with the msg-id " + RalphException.quote(id) + " in " + messages);
  }

  /**
   * Returns the message with an id if its file has the id in its name, as files by Ralph and TX
   * have. Checks all names, and reads only the matching files.
   */
  public Optional<TxFile> findByName(String id) {
    Objects.requireNonNull(id, "id");
    return findByName(id, names());
  }

  Optional<TxFile> findByName(String id, List<String> names) {
    String end = "-" + id + TxName.EXTENSION;
    for (String name : names) {
      if (name.endsWith(end) || name.endsWith(TxName.orphan(end))) {
        TxFile file = readIfAny(name);
        if (file != null && id.equals(file.id())) {
          return Optional.of(file);
        }
      }
    }
    return Optional.empty();
  }

  @Nullable TxFile readIfAny(String name) {
    try {
      return read(name);
    } catch (RalphException unreadable) {
      return null;
    }
  }

  /** See {@link TxWriter#setAside}. */
  String setAside(TxMessage message) {
    requireOwn();
    return writer.setAside(message);
  }

  /** Reads the part file for a name. */
  TxFile readAside(String name) {
    return reader.read(writer.part(name), name);
  }

  /** See {@link TxWriter#publish}. */
  void publish(String name) {
    requireFileName(name);
    requireOwn();
    writer.publish(name);
  }

  /** Returns the modification time of the part file for a name. */
  Instant asideSince(String name) {
    return Instant.ofEpochMilli(writer.part(name).toFile().lastModified());
  }

  /** Deletes the part file for a name. */
  void withdraw(String name) {
    requireFileName(name);
    requireOwn();
    writer.part(name).toFile().delete();
  }

  @Override
  public String toString() {
    return path.toString();
  }
}
