package dev.ralph.core.internal.host;

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
 * The requirements of a session for the {@linkplain SessionHost host} that takes it. Immutable.
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

  /** Returns an offer without a repository. The session runs in an empty folder. */
  public static SessionOffer anywhere() {
    return ANYWHERE;
  }

  /**
   * Returns an offer with a Git repository. The work begins at a commit, and is pushed to the
   * repository's branch {@code ralph/SESSION}.
   *
   * @param repository an https or ssh address without a password, or the absolute path of a folder
   * @param branch the branch of the commit; null if the commit is on no branch
   * @param commit the full name of the commit
   * @throws RalphException INVALID for an invalid repository or commit
   */
  public static SessionOffer of(String repository, @Nullable String branch, String commit) {
    SessionOffer offer =
        new SessionOffer(repository, branch, commit, null, ANYWHERE.labels, null, null);
    offer.requireSound();
    return offer;
  }

  /**
   * Returns this offer with a folder of the repository as working folder, instead of the top
   * folder.
   *
   * @param path relative to the top folder of the repository
   * @throws RalphException INVALID if the path leads out of the repository
   */
  public SessionOffer folder(String path) {
    SessionOffer offer = new SessionOffer(repository, branch, commit, path, labels, spec, prompt);
    offer.requireSound();
    return offer;
  }

  /**
   * Returns this offer with a further label that the host must have.
   *
   * @throws RalphException INVALID for an invalid label
   */
  public SessionOffer label(String label) {
    SortedSet<String> more = new TreeSet<>(labels);
    more.add(requireLabel(label));
    return new SessionOffer(repository, branch, commit, folder, more, spec, prompt);
  }

  /**
   * Returns this offer with a spec, the document with the requirements of the work.
   *
   * @param path relative to the top folder of the repository
   * @throws RalphException INVALID if the path leads out of the repository
   */
  public SessionOffer spec(String path) {
    SessionOffer offer = new SessionOffer(repository, branch, commit, folder, labels, path, prompt);
    offer.requireSound();
    return offer;
  }

  /** Returns this offer with a prompt instead of a template. */
  public SessionOffer prompt(String text) {
    Objects.requireNonNull(text, "text");
    return new SessionOffer(repository, branch, commit, folder, labels, spec, text);
  }

  /** Returns the address of the repository, or null for none. */
  public @Nullable String repository() {
    return repository;
  }

  /** Returns the branch of the commit, or null. */
  public @Nullable String branch() {
    return branch;
  }

  /** Returns the commit at which the work begins, or null without a repository. */
  public @Nullable String commit() {
    return commit;
  }

  /** Returns the path of the working folder in the repository; null for the top folder. */
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

  /** Returns the prompt, or null if a template or the spec replaces it. */
  public @Nullable String prompt() {
    return prompt;
  }

  static String requireLabel(String label) {
    if (!Form.LABEL.matcher(label).matches()) {
      throw RalphException.invalid(
          "a label must have 1 to 64 letters, digits, '.', '_' and '-', and begin with a letter"
              + " or a digit, not "
              + RalphException.quote(label));
    }
    return label;
  }

  /**
   * Validates an offer from the log, because any writer of the log may have written it.
   *
   * @throws RalphException INVALID for an invalid repository, commit, folder or spec
   */
  void requireSound() {
    if (repository != null) {
      Repositories.requireAddress(repository);
      if (commit == null || !Form.COMMIT.matcher(commit).matches()) {
        throw RalphException.invalid(
            "a session's commit must be a full commit id of 40 or 64 hexadecimal digits, not "
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
              + " of a session must be a path relative to the top of its repository, not "
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

  /** Reads the offer from a frame, without {@linkplain #requireSound validation}. */
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

  /** Returns a description without the prompt. */
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

  /** A separate class, because a check for an offer needs no regular expressions. */
  private static final class Form {
    static final Pattern LABEL = Pattern.compile("[A-Za-z0-9][A-Za-z0-9_.-]{0,63}");
    static final Pattern COMMIT = Pattern.compile("[0-9a-f]{40}|[0-9a-f]{64}");
  }
}
