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
 * What models cost, for clients that tell tokens and no cost. What is computed by it is an
 * {@linkplain Usage#isEstimated() estimate}; the price of a model that is not in it is not known.
 *
 * <p>A table is a text with a line for each model: its name, and what a million tokens cost in US
 * dollars that are read, read from a cache, read and written to a cache, and written. A name holds
 * for the model of that name, with or without a date or a variant in brackets behind it, such as
 * {@code claude-sonnet-4-5-20250929}; one that ends in {@code *} for each model whose name begins
 * so. The first line that holds counts. What follows a {@code #} is a comment.
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

  /** More than anybody would write by hand. */
  private static final long LONGEST = 1024 * 1024;

  private static final Pattern BLANKS = Pattern.compile("\\s+");
  private static final Pattern NUMBER = Pattern.compile("[0-9]{1,9}(\\.[0-9]{1,9})?");
  private static final Pattern DATE_OR_VARIANT =
      Pattern.compile("([-@][0-9]{8})?(-v[0-9]+(:[0-9]+)?)?(\\[[^]]*])?");
  private static final int DECIMALS = 6;

  /**
   * One line. The prices are those of a million tokens.
   *
   * @param model a name, or the beginning of names
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

  /** Returns the table that counts where no other is given. It names its date. */
  public static Prices builtIn() {
    return BuiltIn.TABLE;
  }

  /** Read by those only who need it. */
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
   * Returns the table of a file in UTF-8. What it does not name costs what the built-in table says.
   *
   * @throws RalphException NOT_FOUND if it does not exist; INVALID if a line makes no sense, naming
   *     it; IO if it can't be read
   */
  public static Prices read(Path file) {
    try {
      if (Files.exists(file) && !(Files.isRegularFile(file) && Files.size(file) <= LONGEST)) {
        throw RalphException.invalid(
            "the prices " + RalphException.quote(file.toString()) + " are no file of a table");
      }
    } catch (IOException e) {
      throw RalphException.io(
          "the prices " + RalphException.quote(file.toString()) + " can't be read", e);
    }
    List<Price> all = new ArrayList<>(lines(file.toString(), TextFile.read("the prices", file)));
    all.addAll(builtIn().lines);
    return new Prices(all);
  }

  /** Returns whether the user has added no prices to those that are built in. */
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
              + ": a line of prices is a model and four numbers, the dollars for a million tokens"
              + " read, read from a cache, written to a cache, and written, such as"
              + " 'claude-sonnet-4-5 3 0.3 3.75 15', and not "
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
   * Returns what tokens cost, in US dollars, or null if the model's price is not known.
   *
   * @param model as its provider calls it
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
