package dev.ralph;

/**
 * Finds secrets by their form, in one pass. No regular expressions, because some texts make these
 * take for ever: here each character is looked at a bounded number of times.
 */
final class SecretForms {

  static final Redactor REDACTOR = text -> new SecretForms(text).redact();

  /** How far to look before something counts as no secret; a secret itself may be longer. */
  private static final int LOOK = 256;

  private static final String PEM = "-----BEGIN ";
  private static final String PEM_END = "-----END ";
  private static final String DASHES = "-----";

  /** The beginnings of tokens, what they are, and how many characters follow at the least. */
  private static final Form[] FORMS = {
    new Form("sk-ant-", "Anthropic key", 20),
    new Form("sk-", "API key", 20),
    Form.plain("sk_live_", "Stripe key"),
    Form.plain("hf_", "Hugging Face token"),
    Form.plain("npm_", "npm token"),
    Form.plain("gsk_", "Groq key"),
    Form.plain("xai-", "xAI key"),
    Form.plain("pypi-", "PyPI token"),
    new Form("dckr_pat_", "Docker token", 20),
    new Form("ghp_", "GitHub token", 20),
    new Form("gho_", "GitHub token", 20),
    new Form("ghu_", "GitHub token", 20),
    new Form("ghs_", "GitHub token", 20),
    new Form("ghr_", "GitHub token", 20),
    new Form("github_pat_", "GitHub token", 20),
    new Form("glpat-", "GitLab token", 16),
    new Form("AKIA", "AWS key", 16),
    new Form("ASIA", "AWS key", 16),
    new Form("AIza", "Google key", 30),
    new Form("xoxa-", "Slack token", 10),
    new Form("xoxb-", "Slack token", 10),
    new Form("xoxp-", "Slack token", 10),
    new Form("xoxr-", "Slack token", 10),
    new Form("xoxs-", "Slack token", 10),
    new Form("xapp-", "Slack token", 10),
  };

  private static final String PASSWORD = "password=";
  private static final String AWS_SECRET = "aws_secret_access_key";

  private static final String[] PARAMETERS = {
    PASSWORD, "passwd=", "pwd=", "api_key=", "apikey=", "access_token=", "client_secret="
  };

  /** What a value begins with that is no secret: a variable, a placeholder, a word put here. */
  private static final String NO_SECRET = "$<{*[";

  /** The characters that something looked for begins with. */
  private static final boolean[] BEGINS = new boolean[128];

  static {
    for (char c : "-:?&esSgxAaBbdhnpP".toCharArray()) {
      BEGINS[c] = true;
    }
  }

  /**
   * A kind of token.
   *
   * @param plain how many letters and digits come first at the least: those that names such as
   *     {@code npm_config_cache} are not taken for have more than these
   */
  private record Form(String begin, String what, int least, int plain) {
    Form(String begin, String what, int least) {
      this(begin, what, least, 0);
    }

    static Form plain(String begin, String what) {
      return new Form(begin, what, 20, 16);
    }
  }

  private final String text;
  private final int end;
  private final StringBuilder redacted = new StringBuilder();

  /** Up to where the text is taken over or redacted. */
  private int done;

  /** Up to where it is known that no web token begins. */
  private int noWebToken;

  private SecretForms(String text) {
    this.text = text;
    this.end = text.length();
  }

  private String redact() {
    for (int at = 0; at < end; at++) {
      char c = text.charAt(at);
      if (c < BEGINS.length && BEGINS[c]) {
        at = Math.max(at, secretAt(at) - 1);
      }
    }
    return done == 0 ? text : redacted.append(text, done, end).toString();
  }

  /** Redacts the secret that is told by what stands there; returns its end, or 0 for none. */
  private int secretAt(int at) {
    switch (text.charAt(at)) {
      case '-':
        return text.startsWith(PEM, at) ? privateKey(at) : 0;
      case ':':
        return text.startsWith("://", at) ? passwordOfAuthority(at + 3) : 0;
      case '?':
      case '&':
        return passwordOfQuery(at + 1);
      case 'e':
        return isWordStart(at) ? webToken(at) : 0;
      case 's':
      case 'g':
      case 'x':
      case 'h':
      case 'n':
      case 'd':
        return isWordStart(at) ? token(at) : 0;
      case 'S':
        return isWordStart(at) ? sendGridKey(at) : 0;
      case 'p':
      case 'P':
        return isWord(PASSWORD, at)
            ? value(at + PASSWORD.length(), "password")
            : isWordStart(at) ? token(at) : 0;
      case 'A':
      case 'a':
      case 'B':
      case 'b':
        return isWordStart(at) ? tokenOrHeader(at) : 0;
      default:
        return 0;
    }
  }

  private boolean isWordStart(int at) {
    return at == 0 || !isAlphanumeric(text.charAt(at - 1));
  }

  private int replace(int from, int to, String what) {
    redacted.append(text, done, from).append("[redacted: ").append(what).append(']');
    done = to;
    return to;
  }

  private int privateKey(int at) {
    int head = at + PEM.length();
    int close = indexWithin(DASHES, head, head + 64);
    if (close < 0 || !text.substring(head, close).endsWith("PRIVATE KEY")) {
      return 0;
    }
    int foot = text.indexOf(PEM_END, close);
    int to = foot < 0 ? -1 : indexWithin(DASHES, foot + PEM_END.length(), foot + 80);
    return replace(at, to < 0 ? end : to + DASHES.length(), "private key");
  }

  private int indexWithin(String wanted, int from, int to) {
    int last = Math.min(to, end - wanted.length());
    for (int i = from; i <= last; i++) {
      if (text.startsWith(wanted, i)) {
        return i;
      }
    }
    return -1;
  }

  private int token(int at) {
    for (Form form : FORMS) {
      if (text.startsWith(form.begin, at)) {
        int from = at + form.begin.length();
        if (isSecret(from, form.least) && isPlain(from, form.plain)) {
          return replace(at, endOfToken(from), form.what);
        }
      }
    }
    return 0;
  }

  /** Returns whether enough of a token stands there, with a digit: words have none, mostly. */
  private boolean isSecret(int from, int least) {
    boolean digit = false;
    int to = Math.min(end, from + LOOK);
    int i = from;
    for (; i < to && isTokenChar(text.charAt(i)); i++) {
      digit |= text.charAt(i) >= '0' && text.charAt(i) <= '9';
    }
    return digit && i - from >= least;
  }

  private boolean isPlain(int from, int count) {
    for (int i = from; i < from + count; i++) {
      if (!isAlphanumeric(text.charAt(i))) {
        return false;
      }
    }
    return true;
  }

  /** {@code SG.}, 22 characters, a dot, 43 characters. */
  private int sendGridKey(int at) {
    if (!text.startsWith("SG.", at)) {
      return 0;
    }
    int dot = endOfToken(at + 3);
    return dot - at > 16 && dot < end && text.charAt(dot) == '.' && isSecret(dot + 1, 16)
        ? replace(at, endOfToken(dot + 1), "SendGrid key")
        : 0;
  }

  private int endOfToken(int from) {
    int to = from;
    while (to < end && isTokenChar(text.charAt(to))) {
      to++;
    }
    return to;
  }

  /** Three parts of base 64 joined by dots; the first is a JSON object. */
  private int webToken(int at) {
    if (at < noWebToken || !text.startsWith("eyJ", at)) {
      return 0;
    }
    int header = endOfToken(at);
    if (header - at < 10 || header >= end || text.charAt(header) != '.') {
      noWebToken = header;
      return 0;
    }
    int payload = endOfToken(header + 1);
    if (payload - header < 3 || payload >= end || text.charAt(payload) != '.') {
      noWebToken = payload;
      return 0;
    }
    return replace(at, endOfToken(payload + 1), "web token");
  }

  private int tokenOrHeader(int at) {
    if (isWord("authorization", at)) {
      int i = skip(at + "authorization".length(), "\"' ");
      if (i < end && (text.charAt(i) == ':' || text.charAt(i) == '=')) {
        i = skip(i + 1, "\"' ");
        for (String scheme : new String[] {"bearer", "basic", "token"}) {
          if (isWord(scheme, i)) {
            int from = skip(i + scheme.length(), " ");
            int to = endOfCredential(from);
            return to - from >= 4 ? replace(from, to, "authorization") : 0;
          }
        }
      }
      return 0;
    }
    if (isWord(AWS_SECRET, at)) {
      int i = skip(at + AWS_SECRET.length(), "\"' ");
      return i < end && (text.charAt(i) == '=' || text.charAt(i) == ':')
          ? value(skip(i + 1, " "), "AWS key")
          : 0;
    }
    if (isWord("bearer", at)) {
      int from = skip(at + "bearer".length(), " ");
      boolean apart = from > at + "bearer".length();
      return apart && isSecret(from, 20)
          ? replace(from, endOfCredential(from), "authorization")
          : 0;
    }
    return token(at);
  }

  private boolean isWord(String word, int at) {
    return text.regionMatches(true, at, word, 0, word.length());
  }

  /** Returns where the first other character stands, or one a little further on. */
  private int skip(int from, String any) {
    int to = Math.min(end, from + 8);
    int i = from;
    while (i < to && any.indexOf(text.charAt(i)) >= 0) {
      i++;
    }
    return i;
  }

  private int endOfCredential(int from) {
    int to = from;
    while (to < end && (isTokenChar(text.charAt(to)) || ".~+/=".indexOf(text.charAt(to)) >= 0)) {
      to++;
    }
    return to;
  }

  /** {@code ://user:password@host} */
  private int passwordOfAuthority(int from) {
    int colon = -1;
    int to = Math.min(end, from + LOOK);
    for (int i = from; i < to; i++) {
      char c = text.charAt(i);
      if (c == '@') {
        return colon > 0 && i > colon + 1 ? replace(colon + 1, i, "password") : 0;
      }
      if (c == ':' && colon < 0) {
        colon = i;
      }
      if (c <= ' ' || c == '/' || c == '"' || c == '<' || c == '>') {
        return 0;
      }
    }
    return 0;
  }

  private int passwordOfQuery(int from) {
    for (String parameter : PARAMETERS) {
      if (isWord(parameter, from)) {
        return value(from + parameter.length(), "password");
      }
    }
    return 0;
  }

  /** Redacts what is assigned there, in quotes or not. */
  private int value(int from, String what) {
    boolean quoted = from < end && (text.charAt(from) == '"' || text.charAt(from) == '\'');
    int begin = quoted ? from + 1 : from;
    if (begin >= end || NO_SECRET.indexOf(text.charAt(begin)) >= 0) {
      return 0;
    }
    int to = begin;
    if (quoted) {
      char quote = text.charAt(from);
      while (to < end && text.charAt(to) >= ' ' && text.charAt(to) != quote) {
        to++;
      }
    } else {
      while (to < end && text.charAt(to) > ' ' && "&\"'`<>,;()".indexOf(text.charAt(to)) < 0) {
        to++;
      }
      if (to < end && text.charAt(to) == '(' && to - begin < LOOK) {
        return 0; // a call, in a program
      }
    }
    return to > begin ? replace(begin, to, what) : 0;
  }

  private static boolean isTokenChar(char c) {
    return isAlphanumeric(c) || c == '_' || c == '-';
  }

  private static boolean isAlphanumeric(char c) {
    return c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z' || c >= '0' && c <= '9';
  }
}
