package dev.ralph.spring.boot;

import java.math.BigDecimal;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import org.jspecify.annotations.Nullable;
import org.springframework.boot.context.properties.ConfigurationProperties;
import org.springframework.boot.context.properties.bind.DefaultValue;

/**
 * Configuration properties of an application's store and loops.
 *
 * @param store the store's address, as for {@link dev.ralph.Ralph#open(String)}; or {@code
 *     datasource:SCHEMA} for PostgreSQL behind the application's data source, which requires {@code
 *     ralph-store-postgres}
 * @param chats the name under which chat memories are stored
 * @param loops defaults of all loops
 * @param server the page and the tools over HTTP
 */
@ConfigurationProperties("ralph")
public record RalphProperties(
    @DefaultValue(".ralph/store") String store,
    @DefaultValue("chats") String chats,
    @DefaultValue Loops loops,
    @DefaultValue Server server) {

  /**
   * Defaults of all loops; for null the default of {@link dev.ralph.Loop.Builder} applies.
   *
   * @param directory the working directory of agents and gates
   * @param maxIterations the maximum number of iterations of a run
   * @param timeLimit the maximum duration of a run
   * @param iterationTimeLimit the maximum duration of an iteration
   * @param maxCost the maximum cost of a run, in US dollars
   * @param maxTokens the maximum number of tokens of a run
   * @param grace the time that a cancelled agent has to end
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
   * The page in the application's own server, with the tools at {@code mcp} below it. Requires
   * {@code ralph-web}.
   *
   * @param path the path, for example {@code /ralph}; null to serve nothing
   * @param names the host names of the application, besides {@code localhost} and IP addresses
   * @param repository a folder in the repository whose commits the page shows, or null
   */
  public record Server(
      @Nullable String path, @DefaultValue List<String> names, @Nullable Path repository) {}
}
