package dev.ralph.core.host;

import dev.ralph.core.internal.git.GitTrees;
import dev.ralph.log.Frame;
import dev.ralph.log.Meta;
import dev.ralph.log.RalphException;
import java.nio.file.InvalidPathException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Objects;
import java.util.SortedSet;
import java.util.TreeSet;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/**
 * What a session needs of the {@linkplain SessionHost host} that takes it. Immutable.
 *
 * <pre>{@code
 * SessionOffer offer =
 *     SessionOffer.of("https://git.example/shop.git", "main", commit).label("gpu");
 * SessionOffers.of(ralph).put("auth", offer);
 * }</pre>
 */
public final class SessionOffer {

  private static final SessionOffer ANYWHERE =
      new SessionOffer(null, null, null, null, Collections.emptySortedSet(), null, null);

  private final @Nullable String repository;
  private final @Nullable String branch;
  private final @Nullable String commit;
  private final @Nullable String folder;
  private final SortedSet<String> labels;
  private final @Nullable String spec;
  private final @Nullable String prompt;

  private SessionOffer(
      @Nullable String repository,
      @Nullable String branch,
      @Nullable String commit,
      @Nullable String folder,
      SortedSet<String> labels,
      @Nullable String spec,
      @Nullable String prompt) {
    this.repository = repository;
    this.branch = branch;
    this.commit = commit;
    this.folder = folder;
    this.labels = labels;
    this.spec = spec;
    this.prompt = prompt;
  }

  /** Returns the offer of a session that needs no repository: it gets an empty folder. */
  public static SessionOffer anywhere() {
    return ANYWHERE;
  }

  /**
   * Returns the offer of a session whose work begins at a commit of a Git repository, and is pushed
   * there to the branch {@code ralph/SESSION}.
   *
   * @param repository an address with https or ssh, without a password, or the absolute path of a
   *     folder
   * @param branch that the commit is on; null where it is on none
   * @param commit its whole name
   * @throws RalphException INVALID if the repository or the commit can't be one
   */
  public static SessionOffer of(String repository, @Nullable String branch, String commit) {
    SessionOffer offer =
        new SessionOffer(repository, branch, commit, null, ANYWHERE.labels, null, null);
    offer.requireSound();
    return offer;
  }

  /**
   * Returns the same with a folder of the repository to work in, instead of the top one.
   *
   * @param path seen from the top folder of the repository
   * @throws RalphException INVALID if it leads out of that
   */
  public SessionOffer folder(String path) {
    SessionOffer offer = new SessionOffer(repository, branch, commit, path, labels, spec, prompt);
    offer.requireSound();
    return offer;
  }

  /**
   * Returns the same, only for hosts that have that label too.
   *
   * @throws RalphException INVALID if it can't be one
   */
  public SessionOffer label(String label) {
    SortedSet<String> more = new TreeSet<>(labels);
    more.add(requireLabel(label));
    return new SessionOffer(repository, branch, commit, folder, more, spec, prompt);
  }

  /**
   * Returns the same with a document that says what to build.
   *
   * @param path seen from the top folder of the repository
   * @throws RalphException INVALID if it leads out of that
   */
  public SessionOffer spec(String path) {
    SessionOffer offer = new SessionOffer(repository, branch, commit, folder, labels, path, prompt);
    offer.requireSound();
    return offer;
  }

  /** Returns the same with a prompt instead of a template. */
  public SessionOffer prompt(String text) {
    Objects.requireNonNull(text, "text");
    return new SessionOffer(repository, branch, commit, folder, labels, spec, text);
  }

  /** Returns the address of the repository, or null if it needs none. */
  public @Nullable String repository() {
    return repository;
  }

  /** Returns the branch that the commit is on, or null. */
  public @Nullable String branch() {
    return branch;
  }

  /** Returns the commit that the work begins at, or null if it needs no repository. */
  public @Nullable String commit() {
    return commit;
  }

  /** Returns the path of the folder to work in, in the repository; null for the top one. */
  public @Nullable String folder() {
    return folder;
  }

  /** Returns the labels that a host must have. */
  public SortedSet<String> labels() {
    return Collections.unmodifiableSortedSet(labels);
  }

  /** Returns the path of the spec in the repository, or null. */
  public @Nullable String spec() {
    return spec;
  }

  /** Returns the prompt, or null where a template or the spec says what to do. */
  public @Nullable String prompt() {
    return prompt;
  }

  static String requireLabel(String label) {
    if (!Form.LABEL.matcher(label).matches()) {
      throw RalphException.invalid(
          "a label has 1 to 64 letters, digits, '.', '_' and '-', and begins with a letter or a"
              + " digit, not as "
              + RalphException.quote(label));
    }
    return label;
  }

  /**
   * Checks what may have been written by anybody.
   *
   * @throws RalphException INVALID if the repository, the commit, the folder or the spec can't be
   *     one
   */
  void requireSound() {
    if (repository != null) {
      Repositories.requireAddress(repository);
      if (commit == null || !Form.COMMIT.matcher(commit).matches()) {
        throw RalphException.invalid(
            "a session's commit is its whole name, 40 or 64 digits of base 16, not "
                + RalphException.quote(String.valueOf(commit)));
      }
    }
    requireInside("folder", folder);
    requireInside("spec", spec);
  }

  private static void requireInside(String what, @Nullable String path) {
    if (path != null && !isInside(path)) {
      throw RalphException.invalid(
          "the "
              + what
              + " of a session lies in its repository, and is named as seen from the top folder"
              + " there, not as "
              + RalphException.quote(path));
    }
  }

  private static boolean isInside(String path) {
    try {
      Path plain = Path.of(path).normalize();
      for (Path name : plain) {
        if (name.toString().equalsIgnoreCase(".git")) {
          return false;
        }
      }
      return GitTrees.isInside(plain);
    } catch (InvalidPathException e) {
      return false;
    }
  }

  Meta in(Meta meta) {
    return meta.with("repository", repository)
        .with("branch", branch)
        .with("commit", commit)
        .with("folder", folder)
        .with("labels", labels.isEmpty() ? null : List.copyOf(labels))
        .with("spec", spec);
  }

  String content() {
    return prompt == null ? "" : prompt;
  }

  /** Returns what a frame says, whether or not it is {@linkplain #requireSound sound}. */
  static SessionOffer read(Frame frame) {
    Meta meta = frame.meta();
    String prompt = frame.content();
    return new SessionOffer(
        meta.string("repository"),
        meta.string("branch"),
        meta.string("commit"),
        meta.string("folder"),
        new TreeSet<>(meta.strings("labels")),
        meta.string("spec"),
        prompt.isEmpty() ? null : prompt);
  }

  /** Returns it in words, without the prompt. */
  @Override
  public String toString() {
    List<String> words = new ArrayList<>();
    if (repository != null) {
      words.add(repository);
      String name = String.valueOf(commit);
      String at = name.length() > 12 ? name.substring(0, 12) : name;
      words.add(branch == null ? "at " + at : "branch " + branch + " at " + at);
    }
    if (folder != null) {
      words.add("folder " + folder);
    }
    if (!labels.isEmpty()) {
      words.add("for hosts with " + String.join(" and ", labels));
    }
    if (spec != null) {
      words.add("spec " + spec);
    }
    return words.isEmpty() ? "for any host" : String.join(", ", words);
  }

  /** Apart, because a look at whether there is an offer needs no regular expressions. */
  private static final class Form {
    static final Pattern LABEL = Pattern.compile("[A-Za-z0-9][A-Za-z0-9_.-]{0,63}");
    static final Pattern COMMIT = Pattern.compile("[0-9a-f]{40}|[0-9a-f]{64}");
  }
}
