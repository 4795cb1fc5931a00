package dev.ralph.cli.call;

import dev.ralph.cli.text.SafeText;
import dev.ralph.core.internal.text.Sha256;
import dev.ralph.log.RalphException;
import dev.ralph.store.support.PrivateFiles;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermission;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * The files of projects trusted by the caller, each with its text. Trust ends when the text or the
 * path of a file changes.
 *
 * <p>The caller's state folder has a file per path. The file contains the path for people, then the
 * SHA-256 of each trusted text. Files that the caller does not own, or that other users can write,
 * are ignored.
 */
public final class TrustedFiles {

  private final @Nullable Path folder;

  /** The texts trusted by this process, saved or not. */
  private final Set<String> now = new HashSet<>();

  TrustedFiles(Environment environment) {
    Path state = state(environment);
    folder = state == null ? null : state.resolve("ralph").resolve("trusted");
  }

  private static @Nullable Path state(Environment environment) {
    String given = environment.variable("XDG_STATE_HOME");
    if (given != null && given.startsWith("/")) {
      return environment.path(given);
    }
    String home = environment.variable("HOME");
    return home == null ? null : environment.path(home).resolve(".local/state");
  }

  /** Returns whether the caller has trusted a text at a path. */
  public synchronized boolean holds(Path file, String text) {
    String place = place(file);
    return now.contains(place + Sha256.of(text)) || kept(place).contains(Sha256.of(text));
  }

  /**
   * Trusts a text at a path, for this process and, if saved, for later processes.
   *
   * @throws RalphException if the trust cannot be saved
   */
  public synchronized void grant(Path file, String text) {
    String place = place(file);
    String hash = Sha256.of(text);
    now.add(place + hash);
    if (folder == null) {
      throw RalphException.invalid("cannot save the trust decision: set HOME or XDG_STATE_HOME");
    }
    PrivateFiles.createDirectories(folder);
    if (!isOwn(folder)) {
      throw RalphException.invalid(
          folder
              + " is writable by other users, so trust decisions cannot be saved there; set"
              + " XDG_STATE_HOME to another folder");
    }
    List<String> lines = new ArrayList<>(List.of(SafeText.line(place)));
    lines.addAll(kept(place));
    if (!lines.contains(hash)) {
      lines.add(hash);
    }
    byte[] bytes = (String.join("\n", lines) + "\n").getBytes(StandardCharsets.UTF_8);
    PrivateFiles.writeAtomically(folder.resolve(Sha256.of(place)), bytes, true);
  }

  /**
   * Revokes the trust in all texts at a path, and returns whether a saved trust existed.
   *
   * @throws RalphException if the saved trust cannot be deleted
   */
  public synchronized boolean revoke(Path file) {
    String place = place(file);
    now.removeIf(each -> each.startsWith(place));
    if (folder == null) {
      return false;
    }
    try {
      return Files.deleteIfExists(folder.resolve(Sha256.of(place)));
    } catch (IOException e) {
      throw PrivateFiles.failure("cannot remove " + folder.resolve(Sha256.of(place)), e);
    }
  }

  /** Returns the saved hashes for a path. */
  private List<String> kept(String place) {
    if (folder == null) {
      return List.of();
    }
    Path file = folder.resolve(Sha256.of(place));
    if (!isOwn(folder) || !isOwn(file) || !Files.isRegularFile(file, LinkOption.NOFOLLOW_LINKS)) {
      return List.of();
    }
    try {
      List<String> lines = Files.readAllLines(file);
      return lines.isEmpty() ? lines : lines.subList(1, lines.size());
    } catch (IOException e) {
      return List.of(); // the caller has to grant the trust again
    }
  }

  /**
   * Returns whether a file or folder belongs to the caller and no other user can write to it. Links
   * are rejected.
   */
  private static boolean isOwn(Path path) {
    if (Files.isSymbolicLink(path) || !CurrentUser.owns(path)) {
      return false;
    }
    try {
      Set<PosixFilePermission> rights =
          Files.getPosixFilePermissions(path, LinkOption.NOFOLLOW_LINKS);
      return !rights.contains(PosixFilePermission.GROUP_WRITE)
          && !rights.contains(PosixFilePermission.OTHERS_WRITE);
    } catch (IOException e) {
      return false;
    } catch (UnsupportedOperationException noSuchRights) {
      return true;
    }
  }

  /**
   * Returns the canonical path of a file, which need not exist. A link as the last element is not
   * resolved.
   */
  private static String place(Path file) {
    Path folder = file.toAbsolutePath().getParent();
    try {
      return folder == null
          ? file.toString()
          : folder.toRealPath().resolve(file.getFileName()).toString();
    } catch (IOException e) {
      return file.toAbsolutePath().toString();
    }
  }
}
