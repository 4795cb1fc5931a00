package dev.ralph.web.internal.page;

import dev.ralph.Usage;
import dev.ralph.core.internal.cost.WorkOrigin;
import dev.ralph.domain.StateCodec;
import dev.ralph.log.Meta;
import dev.ralph.web.internal.page.RecordTally.Call;
import dev.ralph.web.internal.page.RecordTally.GateRun;
import java.io.IOException;
import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * Reads and writes the state of {@link RecordTally} for snapshots, so that a restarted server need
 * not read all records again.
 */
final class TallyCodec extends StateCodec<RecordTally> {

  @Override
  protected void write(RecordTally state, Output out) {
    out.number(state.origins().size());
    state
        .origins()
        .forEach(
            (iteration, told) -> {
              out.number(iteration);
              write(told, out);
            });
    out.number(state.gates().size());
    state.gates().values().forEach(gate -> write(gate, out));
    out.number(state.calls().size());
    state
        .calls()
        .forEach(
            (iteration, calls) -> {
              out.number(iteration);
              out.number(calls.size());
              calls.forEach(
                  (id, call) -> {
                    out.text(id);
                    out.text(call.tool());
                    out.text(call.arguments());
                    out.text(call.time());
                  });
            });
    out.number(state.saying().size());
    state
        .saying()
        .forEach(
            (iteration, text) -> {
              out.number(iteration);
              out.text(text);
            });
  }

  private static void write(WorkOrigin told, Output out) {
    Meta budget = told.budget();
    out.text(told.client());
    out.text(told.model());
    out.number(told.models().size());
    told.models()
        .forEach(
            (model, usage) -> {
              out.text(model);
              out.text(usage.json().json());
            });
    out.text(told.folder());
    out.text(told.begin());
    out.text(told.end());
    out.text(budget == null ? null : budget.json());
  }

  private static void write(GateRun gate, Output out) {
    Long code = gate.exitCode();
    out.text(gate.name());
    out.bool(gate.passed());
    out.number(code == null ? -1 : code);
    out.text(gate.reason());
    out.number(gate.iteration());
    out.number(gate.failures());
    out.text(gate.time());
  }

  @Override
  protected RecordTally read(Input in) throws IOException {
    RecordTally state = new RecordTally();
    for (int left = in.count(); left > 0; left--) {
      state.origins().put(in.integer(), readOrigin(in));
    }
    for (int left = in.count(); left > 0; left--) {
      GateRun gate = gate(in);
      state.gates().put(gate.name(), gate);
    }
    for (int left = in.count(); left > 0; left--) {
      state.calls().put(in.integer(), calls(in));
    }
    for (int left = in.count(); left > 0; left--) {
      state.saying().put(in.integer(), in.text());
    }
    return state;
  }

  private static WorkOrigin readOrigin(Input in) throws IOException {
    String client = in.textOrNull();
    String model = in.textOrNull();
    Map<String, Usage> models = new LinkedHashMap<>();
    for (int left = in.count(); left > 0; left--) {
      models.put(in.text(), Usage.of(Meta.stored(in.text())));
    }
    return new WorkOrigin(
        client,
        model,
        Collections.unmodifiableMap(models),
        in.textOrNull(),
        in.textOrNull(),
        in.textOrNull(),
        meta(in.textOrNull()));
  }

  private static @Nullable Meta meta(@Nullable String json) {
    return json == null ? null : Meta.stored(json);
  }

  private static GateRun gate(Input in) throws IOException {
    String name = in.text();
    boolean passed = in.bool();
    long code = in.number();
    return new GateRun(
        name,
        passed,
        code < 0 ? null : code,
        in.text(),
        in.integer(),
        in.integer(),
        in.textOrNull());
  }

  private static Map<String, Call> calls(Input in) throws IOException {
    Map<String, Call> calls = new LinkedHashMap<>();
    for (int left = in.count(); left > 0; left--) {
      calls.put(in.text(), new Call(in.text(), in.text(), in.textOrNull()));
    }
    return calls;
  }
}
