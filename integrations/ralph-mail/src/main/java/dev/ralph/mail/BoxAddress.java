package dev.ralph.mail;

import dev.ralph.core.internal.text.EscapedName;
import dev.ralph.log.RalphException;
import dev.ralph.log.Topic;
import org.jspecify.annotations.Nullable;

/** Maps addresses of boxes to topics of the log, one-to-one. */
final class BoxAddress {

  private BoxAddress() {}

  /** Returns the scope of a project's mail. */
  static Topic scope(String project) {
    return Topic.of("mail").child(escape("the project name", project));
  }

  /**
   * Returns the topic of a box.
   *
   * @param scope the scope of the project
   */
  static Topic topic(Topic scope, String address) {
    if (address.startsWith(Mailboxes.SESSION)) {
      String session = address.substring(Mailboxes.SESSION.length());
      return Topic.of("ralph").child(Topic.checkSegment("session name", session)).child("inbox");
    }
    return scope.child(escape("the box name", address));
  }

  /** Returns the name of the box of a topic, or null if the topic is not a box. */
  static @Nullable String name(Topic scope, Topic topic) {
    String below = topic.name().substring(scope.name().length() + 1);
    return below.indexOf('.') < 0 ? EscapedName.name(below) : null;
  }

  private static String escape(String what, String name) {
    RalphException.requireUnicode(what, name);
    if (name.isBlank()) {
      throw RalphException.invalid(what + " must not be blank");
    }
    String escaped = EscapedName.of(name);
    if (escaped.length() > EscapedName.LONGEST) {
      throw RalphException.invalid(
          what
              + " is too long: "
              + RalphException.quote(name)
              + " needs "
              + escaped.length()
              + " characters; at most "
              + EscapedName.LONGEST
              + " are allowed; characters except letters, digits, '_' and '-' count several times");
    }
    return escaped;
  }
}
