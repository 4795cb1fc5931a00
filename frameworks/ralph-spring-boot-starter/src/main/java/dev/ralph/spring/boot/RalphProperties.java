package dev.ralph.spring.boot;

import java.math.BigDecimal;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import org.jspecify.annotations.Nullable;
import org.springframework.boot.context.properties.ConfigurationProperties;
import org.springframework.boot.context.properties.bind.DefaultValue;

/**
 * What an application says of its store and loops.
 *
 * @param store the store's address, as {@link dev.ralph.Ralph#open(String)} takes it
 * @param chats the name that chat memories are kept under
 * @param loops what every loop begins with
 * @param server the page and the tools over HTTP
 */
@ConfigurationProperties("ralph")
public record RalphProperties(
    @DefaultValue(".ralph/store") String store,
    @DefaultValue("chats") String chats,
    @DefaultValue Loops loops,
    @DefaultValue Server server) {

  /**
   * What every loop begins with; what is null is as {@link dev.ralph.Loop.Builder} has it.
   *
   * @param directory the folder that agents and gates work in
   * @param maxIterations how many iterations a run has at most
   * @param timeLimit how long a run may take
   * @param iterationTimeLimit how long one iteration may take
   * @param maxCost how much a run may cost, in US dollars
   * @param maxTokens how many tokens a run may use
   * @param grace how long an agent has to end when asked to
   */
  public record Loops(
      @Nullable Path directory,
      @Nullable Integer maxIterations,
      @Nullable Duration timeLimit,
      @Nullable Duration iterationTimeLimit,
      @Nullable BigDecimal maxCost,
      @Nullable Long maxTokens,
      @Nullable Duration grace) {}

  /**
   * Where the application's own server has the page, and at {@code mcp} below it the tools; for
   * which {@code ralph-web} must be there.
   *
   * @param path such as {@code /ralph}; nothing is served if it is not set
   * @param names by which the application is reached, besides {@code localhost} and addresses
   * @param repository a folder of the repository whose commits the page shows
   */
  public record Server(
      @Nullable String path, @DefaultValue List<String> names, @Nullable Path repository) {}
}
