package dev.ralph.cli.github;

import dev.ralph.core.internal.text.Sha256;
import dev.ralph.log.Meta;
import dev.ralph.log.RalphException;
import java.util.Locale;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * A repository on GitHub.
 *
 * @param host the host of GitHub, such as {@code github.com}
 * @param owner the user or the organisation
 * @param name the name without the owner
 * @param defaultBranch the default branch; empty for a repository without commits
 */
record GitHubRepository(String host, String owner, String name, String defaultBranch) {

  private static final int HASH_LENGTH = 12;
  private static final Pattern HOST = Pattern.compile("[A-Za-z0-9][A-Za-z0-9.-]*");
  private static final Pattern PART = Pattern.compile("(?!-|\\.{1,2}$)[A-Za-z0-9._-]+");

  /** The beginning of an address with a password, which must not appear in a command line. */
  private static final Pattern PASSWORD = Pattern.compile("(?i)^(https?://)[^/]*@");

  /**
   * Reads the answer of {@code gh repo view --json url,defaultBranchRef}.
   *
   * @throws RalphException INVALID if the answer has no valid address
   */
  static GitHubRepository of(Meta answer) {
    String url = String.valueOf(answer.string("url"));
    Meta branch = answer.object("defaultBranchRef");
    String defaultBranch = branch == null ? null : branch.string("name");
    Matcher parts = Pattern.compile("https://([^/]+)/([^/]+)/([^/]+)").matcher(url);
    if (!parts.matches()
        || !HOST.matcher(parts.group(1)).matches()
        || !PART.matcher(parts.group(2)).matches()
        || !PART.matcher(parts.group(3)).matches()) {
      throw RalphException.invalid(
          "gh answered with an invalid address of a repository: " + RalphException.quote(url));
    }
    return new GitHubRepository(
        parts.group(1), parts.group(2), parts.group(3), defaultBranch == null ? "" : defaultBranch);
  }

  /** Returns the address of a remote without user name and password. */
  static String withoutPassword(String address) {
    return PASSWORD.matcher(address).replaceFirst("$1");
  }

  /** Returns whether a text has the form of a host name. */
  static boolean isHost(String text) {
    return HOST.matcher(text).matches();
  }

  /** Returns the path of a resource for {@code gh api}. */
  String path(String resource) {
    return "repos/" + owner + "/" + name + "/" + resource;
  }

  /** Returns the address of a page of the repository. */
  String page(String path) {
    return "https://" + host + "/" + owner + "/" + name + "/" + path;
  }

  /** Returns a short hash of the address, for the keys of tasks. */
  String id() {
    String text = (host + "/" + owner + "/" + name).toLowerCase(Locale.ROOT);
    return Sha256.of(text).substring(0, HASH_LENGTH);
  }
}
