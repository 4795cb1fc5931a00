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
 * The folder in which TX keeps what belongs to a project, {@code .ai/tx}: its messages are the
 * files in {@code msgs}. Immutable; safe for use by many threads.
 */
public final class TxFolder {

  /** Where it is in a project. */
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

  /** Returns the folder at that place; it need not exist. */
  public static TxFolder of(Path path) {
    return new TxFolder(
        StoreFolder.locate(Objects.requireNonNull(path, "path")), new TxReader(ZoneOffset.UTC));
  }

  /** Returns where it is, as an absolute path. */
  public Path path() {
    return path;
  }

  /** Returns the folder of the messages. */
  public Path messages() {
    return messages;
  }

  /**
   * Returns the folder that says how the messages of a mesh may go: {@code meshes/mesh-configs} of
   * the project, or of this folder where it is not at its {@linkplain #USUAL usual place}.
   */
  public Path routing() {
    return project().resolve(ROUTING);
  }

  /** Returns the folder above the usual place; this folder where it is elsewhere. */
  private Path project() {
    Path above = path.getParent();
    Path project = path.endsWith(USUAL) && above != null ? above.getParent() : path;
    return project == null ? path : project;
  }

  /**
   * Makes the folder of the messages, if it is missing.
   *
   * @throws RalphException INVALID if a name on the way to it, below the project, is a symbolic
   *     link; IO if it can't be made
   */
  public void makeMessages() {
    requireOwn();
    PrivateFiles.createDirectories(messages);
  }

  /** A repository may come from somebody who has put links there. */
  private void requireOwn() {
    PlainPath.require(project(), messages);
  }

  /** Returns whether that can be the name of a file in the folder of the messages. */
  static boolean isFileName(String name) {
    return !name.isEmpty() && name.indexOf('/') < 0 && name.indexOf('\0') < 0;
  }

  /** Returns whether it is such a name, and may be typed into a terminal. */
  static boolean isDeliverable(String name) {
    return isFileName(name) && OneLine.isVisible(name);
  }

  /** Names come from logs, too, which somebody else may have written. */
  private static void requireFileName(String name) {
    if (!isFileName(name)) {
      throw RalphException.damaged(
          RalphException.quote(name) + " is not the name of a file of a message");
    }
  }

  /**
   * Returns the names of the files that may be messages, in no particular order; none if there is
   * no such folder. Nothing is read.
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
   * Returns the names of all that is in the folder of the messages. To make paths of them would
   * take twice as long, and there may be a hundred thousand.
   */
  String[] allNames() {
    String[] all = messages.toFile().list();
    return all == null ? namesOrFailure() : all;
  }

  /** Unlike a file, a path says why it can't be listed. */
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
   * Returns whether a file of that name may be a message: those of editors and the like are not.
   */
  static boolean isMessage(String name) {
    return name.endsWith(TxName.EXTENSION) && !name.startsWith(".");
  }

  /**
   * Returns the file of that name.
   *
   * @throws RalphException DAMAGED if the name leads elsewhere
   */
  public Path file(String name) {
    requireFileName(name);
    return messages.resolve(name);
  }

  /**
   * Reads the message of that name, as agents, people and older versions write them. Whatever can
   * be understood is, with warnings for the rest.
   *
   * @throws RalphException IO if it can't be read; INVALID, with file, line and column, if no
   *     message can be made of it, as while it is being written
   */
  public TxFile read(String name) {
    return reader.read(file(name));
  }

  /**
   * Writes a message to a new file, complete and in TX's words. Nobody ever sees a part of it, and
   * it lasts: it is on the disk when this returns.
   *
   * <p>A message without a timestamp gets the present time. One without a requester that answers
   * nothing gets its sender as the requester.
   *
   * @return the file
   * @throws RalphException INVALID if the message lacks a field, or there is a file of that name;
   *     NOT_FOUND if there is no such folder; FULL or IO if the file can't be written
   */
  public Path write(TxMessage message) {
    requireOwn();
    return writer.write(message);
  }

  /**
   * Returns the message of that id: the file that has it in its name, or else any that has it in
   * its front matter, which takes reading all files. Of several the first by name.
   *
   * @throws RalphException NOT_FOUND if there is none
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
        "there is no message with the msg-id " + RalphException.quote(id) + " in " + messages);
  }

  /**
   * Returns the message of that id if its file has it in its name, as those have that Ralph and TX
   * write. Looks at the names of all files, and reads those.
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

  /** Reads what is set aside for a name. */
  TxFile readAside(String name) {
    return reader.read(writer.part(name), name);
  }

  /** See {@link TxWriter#publish}. */
  void publish(String name) {
    requireFileName(name);
    requireOwn();
    writer.publish(name);
  }

  /** Returns when the file was written that is set aside for a name. */
  Instant asideSince(String name) {
    return Instant.ofEpochMilli(writer.part(name).toFile().lastModified());
  }

  /** Removes what is set aside for a name. */
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
