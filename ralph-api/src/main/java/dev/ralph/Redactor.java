package dev.ralph;

/**
 * Removes secrets from text of agents before it is stored: output, summaries of iterations, notes,
 * tasks, questions, mail, and the output of gates. Tasks and messages of a person, or of a program
 * through a session that is not {@linkplain Session#asAgent an agent's}, are stored unchanged.
 *
 * <pre>{@code
 * Ralph.builder()
 *     .directory(path)
 *     .redactor(text -> Redactor.builtIn().redact(text).replace(ownSecret, "[redacted: own]"))
 *     .open();
 * }</pre>
 *
 * <p>Called by many threads at once. The text consists of whole lines; a block such as a private
 * key is passed at once if it has at most 16,384 characters. An exception makes the call that adds
 * a note fail. Of an agent's output, a remark about the failure is stored instead.
 */
@FunctionalInterface
public interface Redactor {

  /** Returns the text with each secret replaced; the same text if it has none. */
  String redact(String text);

  /**
   * Returns the default redactor. The redactor recognizes secrets by their form, and replaces each
   * secret by a mark such as {@code [redacted: GitHub token]}: keys that begin with {@code sk-},
   * {@code sk_live_}, {@code SG.}, {@code xai-}, {@code gsk_}, {@code AKIA}, {@code ASIA} and
   * {@code AIza}, tokens of GitHub, GitLab, Slack, npm, PyPI, Docker and Hugging Face, JSON web
   * tokens, private keys in PEM, values after {@code Authorization:}, {@code Bearer}, {@code
   * password=} or {@code AWS_SECRET_ACCESS_KEY=}, and passwords in URLs. The time is proportional
   * to the length of the text. Secrets of other forms are not found.
   */
  static Redactor builtIn() {
    return SecretForms.REDACTOR;
  }

  /** Returns a redactor that returns every text unchanged. */
  static Redactor none() {
    return text -> text;
  }
}
