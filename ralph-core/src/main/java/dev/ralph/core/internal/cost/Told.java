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
 * What the record of an iteration tells of who worked, where, and with what. Immutable.
 *
 * @param client what did the work, or null where not known
 * @param model that it used, or null where not known
 * @param models what was used of each model, as its requests say; an empty name where not known
 * @param folder where it worked, or null where not known
 * @param begin the commit that was checked out there when it began, or null
 * @param end the same when it ended
 * @param budget of the run and what it had used before, or null where it has none
 */
public record Told(
    @Nullable String client,
    @Nullable String model,
    Map<String, Usage> models,
    @Nullable String folder,
    @Nullable String begin,
    @Nullable String end,
    @Nullable Meta budget) {

  /** No iteration has more models than this: a record that names more is not a loop's. */
  private static final int MOST_MODELS = 20;

  /** What is told where there is no record. */
  public static final Told NOTHING = new Told(null, null, Map.of(), null, null, null, null);

  /** Reads the record of an iteration. */
  public static Told of(Session session, int iteration) {
    Told[] told = {NOTHING};
    session.iterations().record(iteration, entry -> told[0] = told[0].with(entry));
    return told[0];
  }

  /** Returns this with what an entry of the record adds. */
  public Told with(RecordEntry entry) {
    Meta data = entry.data();
    return switch (entry.type()) {
      case BEGIN ->
          new Told(
              client,
              model,
              models,
              data.string("folder"),
              data.string("commit"),
              null,
              data.object("budget"));
      case CLIENT ->
          new Told(
              data.string("name") == null ? client : data.string("name"),
              data.string("model") == null ? model : data.string("model"),
              models,
              folder,
              begin,
              end,
              budget);
      case USED -> used(data.string("model"), data.object("usage"));
      case END -> new Told(client, model, models, folder, begin, data.string("commit"), budget);
      default -> this;
    };
  }

  private Told used(@Nullable String of, @Nullable Meta usage) {
    String name = of == null ? Objects.requireNonNullElse(model, "") : of;
    if (usage == null || models.size() >= MOST_MODELS && !models.containsKey(name)) {
      return this;
    }
    Map<String, Usage> more = new LinkedHashMap<>(models);
    more.merge(name, Usage.of(usage), Usage::plus);
    return new Told(client, model, Collections.unmodifiableMap(more), folder, begin, end, budget);
  }

  /**
   * Returns how what the iteration used is shared by models; an empty name where not known. What
   * the client tells of the whole counts more than its requests, unless it has to be split.
   */
  Map<String, Usage> byModel(Usage whole) {
    if (models.size() > 1) {
      return models;
    }
    String only = models.keySet().stream().findFirst().orElse(model);
    return Map.of(Objects.requireNonNullElse(only, ""), whole);
  }
}
