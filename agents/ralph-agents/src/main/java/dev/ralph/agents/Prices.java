package dev.ralph.agents;

import dev.ralph.Usage;
import dev.ralph.core.internal.text.TextFile;
import dev.ralph.log.RalphException;
import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.math.BigDecimal;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/**
 * Prices of models, for clients that report tokens without a cost. A computed cost is an
 * {@linkplain Usage#isEstimated() estimate}. The price of a model outside the table is unknown.
 *
 * <p>A table is a text with one line per model: the name and four prices in US dollars per million
 * tokens. The prices are for tokens read, read from a cache, read and written to a cache, and
 * written. A name also matches the model with a date or a variant in brackets after its name, such
 * as {@code claude-sonnet-4-5-20250929}. A name that ends in {@code *} matches all models with this
 * prefix. The first matching line applies. A {@code #} starts a comment.
 *
 * <pre>
 * # model            input  cached  written  output
 * claude-sonnet-4-5  3      0.3     3.75     15
 * gpt-*              1.25   0.125   1.25     10
 * </pre>
 *
 * <p>Immutable.
 */
public final class Prices {

  private static final String BUILT_IN = "prices";

  /** The largest file in bytes, which exceeds any table written by hand. */
  private static final long LONGEST = 1024 * 1024;

  private static final Pattern BLANKS = Pattern.compile("\\s+");
  private static final Pattern NUMBER = Pattern.compile("[0-9]{1,9}(\\.[0-9]{1,9})?");
  private static final Pattern DATE_OR_VARIANT =
      Pattern.compile("([-@][0-9]{8})?(-v[0-9]+(:[0-9]+)?)?(\\[[^]]*])?");
  private static final int DECIMALS = 6;

  /**
   * A line of the table. The prices are per million tokens.
   *
   * @param model the name of a model, or a prefix of names
   */
  private record Price(
      String model,
      boolean isBeginning,
      BigDecimal input,
      BigDecimal cached,
      BigDecimal toCache,
      BigDecimal output) {

    boolean isOf(String name) {
      return name.startsWith(model)
          && (isBeginning || DATE_OR_VARIANT.matcher(name.substring(model.length())).matches());
    }
  }

  private final List<Price> lines;

  private Prices(List<Price> lines) {
    this.lines = List.copyOf(lines);
  }

  /** Returns the default table. The table includes the date of the prices. */
  public static Prices builtIn() {
    return BuiltIn.TABLE;
  }

  /** Loads the default table on first use. */
  private static final class BuiltIn {
    static final Prices TABLE = new Prices(lines(BUILT_IN, text()));

    private static String text() {
      try (InputStream in = Prices.class.getResourceAsStream(BUILT_IN)) {
        if (in == null) {
          throw new IllegalStateException("the resource " + BUILT_IN + " is missing");
        }
        return new String(in.readAllBytes(), StandardCharsets.UTF_8);
      } catch (IOException e) {
        throw new UncheckedIOException(e);
      }
    }
  }

  /**
   * Reads a table from a UTF-8 file. The built-in table applies to models outside the file.
   *
   * @throws RalphException NOT_FOUND if the file does not exist; INVALID if a line is invalid, with
   *     the line in the message; IO if the file cannot be read
   */
  public static Prices read(Path file) {
    try {
      if (Files.exists(file) && !(Files.isRegularFile(file) && Files.size(file) <= LONGEST)) {
        throw RalphException.invalid(
            "the prices "
                + RalphException.quote(file.toString())
                + " are not a readable table"
                + " file");
      }
    } catch (IOException e) {
      throw RalphException.io(
          "the prices " + RalphException.quote(file.toString()) + " cannot be read", e);
    }
    List<Price> all = new ArrayList<>(lines(file.toString(), TextFile.read("the prices", file)));
    all.addAll(builtIn().lines);
    return new Prices(all);
  }

  /** Returns whether this is the built-in table without additions of the user. */
  boolean isBuiltIn() {
    return this == BuiltIn.TABLE;
  }

  private static List<Price> lines(String place, String text) {
    List<Price> lines = new ArrayList<>();
    int number = 0;
    for (String line : text.split("\n", -1)) {
      number++;
      int comment = line.indexOf('#');
      String rest = (comment < 0 ? line : line.substring(0, comment)).strip();
      if (!rest.isEmpty()) {
        lines.add(line(place + ":" + number, rest));
      }
    }
    return lines;
  }

  private static Price line(String place, String line) {
    String[] words = BLANKS.split(line);
    boolean known = words.length == 5;
    for (int i = 1; known && i < words.length; i++) {
      known = NUMBER.matcher(words[i]).matches();
    }
    if (!known) {
      throw RalphException.invalid(
          place
              + ": invalid price line; use MODEL INPUT CACHE-READ CACHE-WRITE OUTPUT in dollars"
              + " per million tokens, such as 'claude-sonnet-4-5 3 0.3 3.75 15', not "
              + RalphException.quote(line));
    }
    boolean isBeginning = words[0].endsWith("*");
    return new Price(
        isBeginning ? words[0].substring(0, words[0].length() - 1) : words[0],
        isBeginning,
        new BigDecimal(words[1]),
        new BigDecimal(words[2]),
        new BigDecimal(words[3]),
        new BigDecimal(words[4]));
  }

  /**
   * Returns the cost of tokens in US dollars, or null if the model's price is unknown.
   *
   * @param model the provider's name for the model
   */
  @Nullable BigDecimal cost(@Nullable String model, Tokens tokens) {
    for (Price price : lines) {
      if (model != null && price.isOf(model)) {
        return of(tokens.input(), price.input())
            .add(of(tokens.cached(), price.cached()))
            .add(of(tokens.toCache(), price.toCache()))
            .add(of(tokens.output(), price.output()));
      }
    }
    return null;
  }

  private static BigDecimal of(long tokens, BigDecimal price) {
    return BigDecimal.valueOf(tokens).multiply(price).movePointLeft(DECIMALS);
  }
}
