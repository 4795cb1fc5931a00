package dev.ralph;

/**
 * Takes secrets out of what agents say before it is kept: their output, the summaries of
 * iterations, notes, tasks, questions and mail, and what gates print. The tasks and messages of a
 * person, or of a program by a session that is not {@linkplain Session#asAgent an agent's}, are
 * kept as they are.
 *
 * <pre>{@code
 * Ralph.builder()
 *     .directory(path)
 *     .redactor(text -> Redactor.builtIn().redact(text).replace(ownSecret, "[redacted: own]"))
 *     .open();
 * }</pre>
 *
 * <p>Called by many threads at once. It gets whole lines, and a block such as a private key at once
 * where it is not longer than 16,384 characters. An exception fails the call that adds a note; of
 * an agent's output, only a remark about the failure is kept.
 */
@FunctionalInterface
public interface Redactor {

  /** Returns the text with a word in place of each secret; the same text where there is none. */
  String redact(String text);

  /**
   * Returns the redactor that is used unless another one is given. It knows by their form, and
   * replaces by a word such as {@code [redacted: GitHub token]}: keys that begin with {@code sk-},
   * {@code sk_live_}, {@code SG.}, {@code xai-}, {@code gsk_}, {@code AKIA}, {@code ASIA} and
   * {@code AIza}, tokens of GitHub, GitLab, Slack, npm, PyPI, Docker and Hugging Face, JSON web
   * tokens, private keys in PEM, what stands behind {@code Authorization:}, {@code Bearer}, {@code
   * password=} or {@code AWS_SECRET_ACCESS_KEY=}, and passwords in URLs. It takes time in
   * proportion to the text. It does not find secrets of other forms.
   */
  static Redactor builtIn() {
    return SecretForms.REDACTOR;
  }

  /** Returns the redactor that keeps every text as it is. */
  static Redactor none() {
    return text -> text;
  }
}
