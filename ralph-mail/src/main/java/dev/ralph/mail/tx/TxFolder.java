package dev.ralph.mail.tx;

import dev.ralph.RalphException;
import dev.ralph.store.support.StoreFolder;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.NotDirectoryException;
import java.nio.file.Path;
import java.time.Clock;
import java.time.ZoneId;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;

/**
 * The folder in which TX keeps what belongs to a project, {@code .ai/tx}: its messages are the
 * files in {@code msgs}. Immutable; safe for use by many threads.
 */
public final class TxFolder {

  /** Where it is in a project. */
  public static final String USUAL = ".ai/tx";

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
        StoreFolder.locate(Objects.requireNonNull(path, "path")),
        new TxReader(ZoneId.systemDefault()));
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
    Path project = path.endsWith(USUAL) ? path.getParent().getParent() : path;
    return (project == null ? path : project).resolve(ROUTING);
  }

  /**
   * Returns the names of the files that may be messages, in no particular order; none if there is
   * no such folder. Nothing is read.
   *
   * @throws RalphException IO if the folder can't be read
   */
  public List<String> names() {
    // A stream of paths takes twice as long, and a folder may have a hundred thousand.
    String[] all = messages.toFile().list();
    if (all == null) {
      return whyNone();
    }
    List<String> names = new ArrayList<>(all.length);
    for (String name : all) {
      addMessage(name, names);
    }
    return names;
  }

  /** In a method of its own, which is compiled soon; a loop in a command that ends soon is not. */
  private static void addMessage(String name, List<String> names) {
    if (isMessage(name)) {
      names.add(name);
    }
  }

  private List<String> whyNone() {
    try {
      Files.newDirectoryStream(messages).close();
      return new ArrayList<>(); // it was made just now
    } catch (NoSuchFileException | NotDirectoryException none) {
      return new ArrayList<>();
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

  /** Returns the file of that name. */
  public Path file(String name) {
    return messages.resolve(name);
  }

  /**
   * Reads the message of that name.
   *
   * @throws RalphException see {@link TxReader#read(Path)}
   */
  public TxFile read(String name) {
    return reader.read(file(name));
  }

  /**
   * Writes a message to a new file.
   *
   * @return the file
   * @throws RalphException see {@link TxWriter#write}
   */
  public Path write(TxMessage message) {
    return writer.write(message);
  }

  @Override
  public String toString() {
    return path.toString();
  }
}
