package dev.ralph.cli.github;

import dev.ralph.core.internal.text.TextExcerpt;
import dev.ralph.log.Meta;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * An open issue. The texts have no hidden characters, which a person could not review.
 *
 * @param author the login of the author
 * @param isTrusted whether the author is the owner, a member of the organisation, or a collaborator
 */
record Issue(long number, String title, String body, String author, boolean isTrusted) {

  private static final Set<String> TRUSTED = Set.of("OWNER", "MEMBER", "COLLABORATOR");

  /** Reads an entry of GitHub's list of issues; null for a pull request or an invalid entry. */
  static @Nullable Issue of(Meta entry) {
    long number = entry.integer("number").orElse(0);
    String title = entry.string("title");
    if (number <= 0 || title == null || entry.has("pull_request")) {
      return null;
    }
    String body = entry.string("body");
    Meta user = entry.object("user");
    String author = user == null ? null : user.string("login");
    String association = entry.string("author_association");
    return new Issue(
        number,
        TextExcerpt.clean(title).replaceAll("\\s+", " "),
        body == null ? "" : TextExcerpt.clean(body),
        author == null ? "unknown" : author,
        association != null && TRUSTED.contains(association));
  }

  /**
   * Returns the text of the task.
   *
   * @param address the address of the issue
   */
  String text(String address) {
    return "Issue #"
        + number
        + ": "
        + title
        + (body.isEmpty() ? "" : "\n\n" + body)
        + "\n\n("
        + address
        + ", by "
        + author
        + ")";
  }
}
