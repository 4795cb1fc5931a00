package dev.ralph.cli.call;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.Path;

/** The user that runs this process. */
final class CurrentUser {

  private static final Path OWN_PROCESS = Path.of("/proc/self");

  private CurrentUser() {}

  /** Returns whether the caller owns a file, folder or link. */
  static boolean owns(Path path) {
    try {
      String owner = Files.getOwner(path, LinkOption.NOFOLLOW_LINKS).getName();
      if (owner.equals(ProcessHandle.current().info().user().orElse(""))) {
        return true;
      }
    } catch (IOException e) {
      return false;
    }
    // In a container a user may have a number but no name.
    Object number = Project.owner(path, LinkOption.NOFOLLOW_LINKS);
    return number != null && number.equals(Project.owner(OWN_PROCESS));
  }
}
