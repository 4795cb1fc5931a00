package dev.ralph;

import java.util.Arrays;

/**
 * Finds secrets by their form, in one pass. Regular expressions would take exponential time for
 * some texts; this class reads each character a bounded number of times.
 */
final class SecretForms {

  static final Redactor REDACTOR = text -> new SecretForms(text).redact();

  /** The longest distance to search for the end of a form; a secret itself may be longer. */
  private static final int LOOK = 256;

  /** The most characters of a terminal's colour, such as {@code 38;2;255;255;255m}. */
  private static final int LONGEST_COLOR = 32;

  private static final String PEM = "-----BEGIN ";
  private static final String PEM_END = "-----END ";
  private static final String DASHES = "-----";

  private static final String DIGITS = "0123456789";
  private static final String LOWER = "abcdefghijklmnopqrstuvwxyz";
  private static final String UPPER = "ABCDEFGHIJKLMNOPQRSTUVWXYZ";
  private static final Alphabet ALPHANUMERIC = new Alphabet(DIGITS + LOWER + UPPER);
  private static final Alphabet WORD = new Alphabet(DIGITS + LOWER + UPPER + "_");
  private static final Alphabet URL = new Alphabet(DIGITS + LOWER + UPPER + "_-");
  private static final Alphabet HEX = new Alphabet(DIGITS + "abcdefABCDEF");
  private static final Alphabet BASE32 = new Alphabet(UPPER + "234567");

  /**
   * The known tokens, by the alphabets and lengths of their issuers. A longer prefix precedes a
   * shorter prefix with which it begins. {@code docs/commands/stores.md} lists the prefixes.
   */
  private static final Form[] FORMS = {
    Form.least("sk-ant-", "Anthropic key", URL, 20),
    Form.least("sk-proj-", "API key", URL, 20),
    Form.least("sk-svcacct-", "API key", URL, 20),
    Form.least("sk-admin-", "API key", URL, 20),
    Form.least("sk-or-v1-", "API key", HEX, 32),
    Form.least("sk-", "API key", ALPHANUMERIC, 20),
    Form.least("sk_live_", "Stripe key", ALPHANUMERIC, 16),
    Form.least("sk_test_", "Stripe key", ALPHANUMERIC, 16),
    Form.least("rk_live_", "Stripe key", ALPHANUMERIC, 16),
    Form.least("rk_test_", "Stripe key", ALPHANUMERIC, 16),
    Form.exactly("hf_", "Hugging Face token", ALPHANUMERIC, 34),
    Form.exactly("npm_", "npm token", ALPHANUMERIC, 36),
    Form.least("gsk_", "Groq key", ALPHANUMERIC, 20),
    Form.least("xai-", "xAI key", ALPHANUMERIC, 20),
    Form.least("pypi-AgE", "PyPI token", URL, 16),
    Form.least("dckr_pat_", "Docker token", URL, 20),
    Form.least("dckr_oat_", "Docker token", URL, 20),
    Form.least("ghp_", "GitHub token", ALPHANUMERIC, 36),
    Form.least("gho_", "GitHub token", ALPHANUMERIC, 36),
    Form.least("ghu_", "GitHub token", ALPHANUMERIC, 36),
    Form.least("ghs_", "GitHub token", ALPHANUMERIC, 36),
    Form.least("ghr_", "GitHub token", ALPHANUMERIC, 36),
    Form.least("github_pat_", "GitHub token", WORD, 22),
    Form.least("glpat-", "GitLab token", URL, 20),
    Form.least("glrt-", "GitLab token", URL, 20),
    Form.least("gldt-", "GitLab token", URL, 20),
    Form.least("glptt-", "GitLab token", URL, 20),
    Form.least("glsoat-", "GitLab token", URL, 20),
    Form.fixed("AKIA", "AWS key", BASE32, 16),
    Form.fixed("ASIA", "AWS key", BASE32, 16),
    Form.fixed("ABIA", "AWS key", BASE32, 16),
    Form.exactly("AIza", "Google key", URL, 35),
    Form.exactly("GOCSPX-", "Google client secret", URL, 28),
    Form.least("xoxa-", "Slack token", URL, 10),
    Form.least("xoxb-", "Slack token", URL, 10),
    Form.least("xoxc-", "Slack token", URL, 10),
    Form.least("xoxe-", "Slack token", URL, 10),
    Form.least("xoxp-", "Slack token", URL, 10),
    Form.least("xoxr-", "Slack token", URL, 10),
    Form.least("xoxs-", "Slack token", URL, 10),
    Form.least("xapp-", "Slack token", URL, 10),
    Form.exactly("shpat_", "Shopify token", HEX, 32),
    Form.exactly("dop_v1_", "DigitalOcean token", HEX, 64),
    Form.exactly("r8_", "Replicate token", ALPHANUMERIC, 37),
    Form.exactly("pplx-", "Perplexity key", ALPHANUMERIC, 48),
    Form.exactly("lin_api_", "Linear key", ALPHANUMERIC, 40),
  };

  /** The forms by the first character of their prefix; null for all remaining characters. */
  private static final Form[][] BY_CHARACTER = new Form[128][];

  private static final String PASSWORD = "password=";
  private static final String AWS_SECRET = "aws_secret_access_key";

  private static final String[] PARAMETERS = {
    PASSWORD, "passwd=", "pwd=", "api_key=", "apikey=", "access_token=", "client_secret="
  };

  /** The first characters of values that are no secrets: variables, placeholders, marks. */
  private static final String NO_SECRET = "$<{*[";

  /** The first characters of all forms. */
  private static final boolean[] BEGINS = new boolean[128];

  static {
    for (char c : "-:?&eSAaBbpP".toCharArray()) {
      BEGINS[c] = true;
    }
    for (Form form : FORMS) {
      char first = form.begin.charAt(0);
      Form[] known = BY_CHARACTER[first] == null ? new Form[0] : BY_CHARACTER[first];
      Form[] all = Arrays.copyOf(known, known.length + 1);
      all[known.length] = form;
      BY_CHARACTER[first] = all;
      BEGINS[first] = true;
    }
  }

  /** The characters of tokens, all ASCII. */
  private static final class Alphabet {
    private final boolean[] characters = new boolean[128];

    Alphabet(String all) {
      for (int i = 0; i < all.length(); i++) {
        characters[all.charAt(i)] = true;
      }
    }

    boolean has(char c) {
      return c < characters.length && characters[c];
    }
  }

  /**
   * A kind of token.
   *
   * @param begin the prefix
   * @param what the name of the kind
   * @param alphabet the characters after the prefix; the next character is no such character
   * @param least the least number of characters after the prefix
   * @param most the greatest number
   * @param isMixed whether a token has a digit, or letters of both cases, as words mostly have not
   */
  private record Form(
      String begin, String what, Alphabet alphabet, int least, int most, boolean isMixed) {

    static Form least(String begin, String what, Alphabet alphabet, int least) {
      return new Form(begin, what, alphabet, least, Integer.MAX_VALUE, true);
    }

    static Form exactly(String begin, String what, Alphabet alphabet, int length) {
      return new Form(begin, what, alphabet, length, length, true);
    }

    /** Returns a form that needs no mixed characters: alphabet and length identify the secret. */
    static Form fixed(String begin, String what, Alphabet alphabet, int length) {
      return new Form(begin, what, alphabet, length, length, false);
    }
  }

  private final String text;
  private final int end;
  private final StringBuilder redacted = new StringBuilder();

  /** The index up to which the text is copied or redacted. */
  private int done;

  /** The index before which no web token begins. */
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

  /** Redacts the secret at an index and returns its end, or 0 for none. */
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
        return isWordStart(at) ? token(at) : 0;
    }
  }

  /** Returns whether no letter or digit precedes an index, except as the end of an escape. */
  private boolean isWordStart(int at) {
    return at == 0 || !isAlphanumeric(text.charAt(at - 1)) || isAfterEscape(at);
  }

  /**
   * Returns whether an escape ends at an index: {@code \\n} or a code of four digits in JSON, a
   * code of two digits in a URL, or the colour of a terminal.
   */
  private boolean isAfterEscape(int at) {
    if (at >= 2 && text.charAt(at - 2) == '\\') {
      return "nrtbf".indexOf(text.charAt(at - 1)) >= 0;
    }
    if (at >= 3 && text.charAt(at - 3) == '%' && endOfToken(at - 2, HEX, 2) == at) {
      return true;
    }
    if (at >= 6 && text.startsWith("\\u", at - 6) && endOfToken(at - 4, HEX, 4) == at) {
      return true;
    }
    int begin = at - 1;
    while (begin > 0
        && at - begin <= LONGEST_COLOR
        && (isDigit(text.charAt(begin - 1)) || text.charAt(begin - 1) == ';')) {
      begin--;
    }
    return text.charAt(at - 1) == 'm'
        && begin >= 2
        && text.charAt(begin - 1) == '['
        && text.charAt(begin - 2) == '\u001b';
  }

  private static boolean isDigit(char c) {
    return c >= '0' && c <= '9';
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
    Form[] forms = BY_CHARACTER[text.charAt(at)];
    if (forms == null) {
      return 0;
    }
    for (Form form : forms) {
      if (text.startsWith(form.begin, at)) {
        int from = at + form.begin.length();
        int to = endOfToken(from, form.alphabet, Math.min(form.most, LOOK));
        if (isSecret(from, to, form)) {
          return replace(at, endOfToken(to, form.alphabet, form.most - (to - from)), form.what);
        }
      }
    }
    return 0;
  }

  private boolean isSecret(int from, int to, Form form) {
    boolean isWhole = to - from < form.most || to == end || !form.alphabet.has(text.charAt(to));
    return to - from >= form.least && isWhole && (!form.isMixed || isMixed(from, to));
  }

  /** Returns whether a text has a digit, or letters of both cases. */
  private boolean isMixed(int from, int to) {
    boolean isLower = false;
    boolean isUpper = false;
    for (int i = from; i < Math.min(to, from + LOOK); i++) {
      char c = text.charAt(i);
      isLower |= c >= 'a' && c <= 'z';
      isUpper |= c >= 'A' && c <= 'Z';
      if (c >= '0' && c <= '9' || isLower && isUpper) {
        return true;
      }
    }
    return false;
  }

  private boolean hasDigit(int from, int to) {
    for (int i = from; i < Math.min(to, from + LOOK); i++) {
      if (text.charAt(i) >= '0' && text.charAt(i) <= '9') {
        return true;
      }
    }
    return false;
  }

  /** {@code SG.}, 22 characters, a dot, 43 characters. */
  private int sendGridKey(int at) {
    if (!text.startsWith("SG.", at)) {
      return 0;
    }
    int dot = endOfToken(at + 3);
    if (dot - at <= 16 || dot == end || text.charAt(dot) != '.') {
      return 0;
    }
    int to = endOfToken(dot + 1);
    return to - dot > 16 && isMixed(dot + 1, to) ? replace(at, to, "SendGrid key") : 0;
  }

  private int endOfToken(int from) {
    return endOfToken(from, URL, Integer.MAX_VALUE);
  }

  private int endOfToken(int from, Alphabet alphabet, int most) {
    int last = most < end - from ? from + most : end;
    int to = from;
    while (to < last && alphabet.has(text.charAt(to))) {
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
      int to = endOfCredential(from);
      return apart && to - from >= 20 && hasDigit(from, to)
          ? replace(from, to, "authorization")
          : 0;
    }
    return token(at);
  }

  private boolean isWord(String word, int at) {
    return text.regionMatches(true, at, word, 0, word.length());
  }

  /** Returns an index at or shortly after the first character outside the set. */
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
    while (to < end && (URL.has(text.charAt(to)) || ".~+/=".indexOf(text.charAt(to)) >= 0)) {
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

  /** Redacts the assigned value at an index, quoted or not. */
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

  private static boolean isAlphanumeric(char c) {
    return c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z' || c >= '0' && c <= '9';
  }
}
