package dev.ralph.cli.loop;

import dev.ralph.core.internal.git.SessionNames;
import dev.ralph.core.internal.text.Sha256;
import java.text.Normalizer;
import java.util.Locale;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * The name of a session that the user did not name. The name comes from the checked-out branch, or
 * from the project's folder if the branch is the main branch or unknown.
 */
final class SessionNaming {

  private static final Set<String> MAIN_BRANCHES = Set.of("main", "master", "trunk", "develop");
  private static final String WITHOUT_LETTERS = "session";
  private static final int LONGEST = 40;
  private static final int HASH_LENGTH = 6;

  private SessionNaming() {}

  /**
   * Returns the name of a session: lower-case letters of ASCII, digits, {@code _} and {@code -}.
   * The same arguments give the same name.
   *
   * @param branch the checked-out branch, or null; a session's own branch gives the session's name
   * @param folder the name of the project's folder, or an empty text
   */
  static String of(@Nullable String branch, String folder) {
    if (branch == null || MAIN_BRANCHES.contains(branch)) {
      return safe(folder);
    }
    SessionNames own = SessionNames.ofBranch(branch);
    // The name of a new session must not look like an option.
    return own == null || own.session().startsWith("-") ? safe(branch) : own.session();
  }

  /**
   * Replaces all other characters by {@code -} and removes accents. A name that lost letters or was
   * cut ends with a hash of the whole text, so that different texts keep different names.
   */
  private static String safe(String text) {
    StringBuilder name = new StringBuilder();
    boolean lost = false;
    String plain = Normalizer.normalize(text, Normalizer.Form.NFD).toLowerCase(Locale.ROOT);
    for (int i = 0; i < plain.length(); i += Character.charCount(plain.codePointAt(i))) {
      int c = plain.codePointAt(i);
      if (c >= 'a' && c <= 'z' || c >= '0' && c <= '9' || c == '_') {
        name.append((char) c);
      } else if (Character.getType(c) != Character.NON_SPACING_MARK) {
        lost |= Character.isLetterOrDigit(c);
        separate(name);
      }
    }
    lost |= name.length() > LONGEST;
    name.setLength(Math.min(name.length(), LONGEST));
    if (name.length() > 0 && name.charAt(name.length() - 1) == '-') {
      name.setLength(name.length() - 1);
    }
    if (name.length() == 0) {
      name.append(WITHOUT_LETTERS);
    }
    String whole = Normalizer.normalize(text, Normalizer.Form.NFC);
    return lost ? name + "-" + Sha256.of(whole).substring(0, HASH_LENGTH) : name.toString();
  }

  /** Appends a separator, but neither at the beginning nor twice. */
  private static void separate(StringBuilder name) {
    if (name.length() > 0 && name.charAt(name.length() - 1) != '-') {
      name.append('-');
    }
  }
}
