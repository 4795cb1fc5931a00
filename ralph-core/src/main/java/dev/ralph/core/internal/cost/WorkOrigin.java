package dev.ralph.core.internal.cost;

import dev.ralph.RecordEntry;
import dev.ralph.Session;
import dev.ralph.Usage;
import dev.ralph.log.Meta;
import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/**
 * The origin of an iteration's work according to its record: agent, models, folder and commits.
 * Immutable.
 *
 * @param client the client that did the work, or null if unknown
 * @param model the client's model, or null if unknown
 * @param models the usage by model, from the client's requests; the empty name for an unknown model
 * @param folder the working folder, or null if unknown
 * @param begin the commit checked out at the beginning, or null
 * @param end the commit checked out at the end, or null
 * @param budget the run's budget and its usage before the iteration, or null for none
 */
public record WorkOrigin(
    @Nullable String client,
    @Nullable String model,
    Map<String, Usage> models,
    @Nullable String folder,
    @Nullable String begin,
    @Nullable String end,
    @Nullable Meta budget) {

  /** The maximum number of models. Records with more were not written by a loop. */
  private static final int MOST_MODELS = 20;

  /** The origin without a record. */
  public static final WorkOrigin NOTHING =
      new WorkOrigin(null, null, Map.of(), null, null, null, null);

  /** Reads the origin from the record of an iteration. */
  public static WorkOrigin of(Session session, int iteration) {
    WorkOrigin[] told = {NOTHING};
    session.iterations().record(iteration, entry -> told[0] = told[0].with(entry));
    return told[0];
  }

  /** Returns this origin with the data of a further entry of the record. */
  public WorkOrigin with(RecordEntry entry) {
    Meta data = entry.data();
    return switch (entry.type()) {
      case BEGIN ->
          new WorkOrigin(
              client,
              model,
              models,
              data.string("folder"),
              data.string("commit"),
              null,
              data.object("budget"));
      case CLIENT ->
          new WorkOrigin(
              data.string("name") == null ? client : data.string("name"),
              data.string("model") == null ? model : data.string("model"),
              models,
              folder,
              begin,
              end,
              budget);
      case USED -> used(data.string("model"), data.object("usage"));
      case END ->
          new WorkOrigin(client, model, models, folder, begin, data.string("commit"), budget);
      default -> this;
    };
  }

  private WorkOrigin used(@Nullable String of, @Nullable Meta usage) {
    String name = of == null ? Objects.requireNonNullElse(model, "") : of;
    if (usage == null || models.size() >= MOST_MODELS && !models.containsKey(name)) {
      return this;
    }
    Map<String, Usage> more = new LinkedHashMap<>(models);
    more.merge(name, Usage.of(usage), Usage::plus);
    return new WorkOrigin(
        client, model, Collections.unmodifiableMap(more), folder, begin, end, budget);
  }

  /**
   * Divides the iteration's usage by model; the empty name stands for an unknown model. With a
   * single model, the client's total takes precedence over the sum of its requests.
   */
  Map<String, Usage> byModel(Usage whole) {
    if (models.size() > 1) {
      return models;
    }
    String only = models.keySet().stream().findFirst().orElse(model);
    return Map.of(Objects.requireNonNullElse(only, ""), whole);
  }
}
