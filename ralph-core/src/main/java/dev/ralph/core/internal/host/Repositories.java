package dev.ralph.core.internal.host;

import dev.ralph.log.RalphException;
import java.net.URI;
import java.net.URISyntaxException;
import java.nio.file.InvalidPathException;
import java.nio.file.Path;
import java.util.List;
import java.util.regex.Pattern;

/**
 * The repositories that a host may fetch. Any writer of the log may have chosen an address, and Git
 * interprets some addresses as commands or options.
 */
final class Repositories {

  private static final int LONGEST = 2_000;

  /**
   * Such as {@code git@git.example:team/shop.git}. A second colon is rejected, because it selects a
   * remote helper.
   */
  private static final Pattern SHORT_SSH =
      Pattern.compile("(\\w[\\w.-]*@)?\\w[\\w.-]*:(?!//)[\\w./~][^:]*");

  /** The server part, with an optional user and port. */
  private static final Pattern SERVER = Pattern.compile("(\\w[\\w.-]*@)?\\w[\\w.-]*(:[0-9]{1,5})?");

  private final List<String> allowed;

  /**
   * @param allowed addresses, or address prefixes that end with a slash or a colon
   */
  Repositories(List<String> allowed) {
    this.allowed = List.copyOf(allowed);
  }

  /** Returns whether the host may fetch an address. */
  boolean allow(String address) {
    return allowed.stream()
        .anyMatch(
            each ->
                address.equals(each)
                    || (each.endsWith("/") || each.endsWith(":")) && address.startsWith(each));
  }

  /**
   * Checks that an address is an unambiguous https or ssh address or the path of a folder.
   *
   * @throws RalphException INVALID if not
   */
  static void requireAddress(String address) {
    if (!isAddress(address)) {
      throw RalphException.invalid(
          "a session's repository must be https://SERVER/PATH, ssh://SERVER/PATH, SERVER:PATH"
              + " or the"
              + " absolute path of a folder, without a password, not "
              + RalphException.quote(address));
    }
  }

  private static boolean isAddress(String address) {
    if (address.length() > LONGEST
        || address.chars().anyMatch(c -> c <= ' ' || c == 0x7f)
        || List.of(address.split("[/:\\\\]", -1)).contains("..")) {
      return false;
    }
    if (address.startsWith("https://") || address.startsWith("ssh://")) {
      return isUrl(address);
    }
    return isFolder(address) || SHORT_SSH.matcher(address).matches();
  }

  private static boolean isUrl(String address) {
    try {
      URI uri = new URI(address);
      String server = uri.getRawAuthority();
      String path = uri.getPath();
      return server != null
          && SERVER.matcher(server).matches()
          && path != null
          && path.length() > 1
          && !List.of(path.split("/")).contains("..")
          && uri.getQuery() == null
          && uri.getFragment() == null;
    } catch (URISyntaxException e) {
      return false;
    }
  }

  private static boolean isFolder(String address) {
    try {
      Path path = Path.of(address);
      return path.isAbsolute() && path.normalize().toString().equals(address);
    } catch (InvalidPathException e) {
      return false;
    }
  }
}
