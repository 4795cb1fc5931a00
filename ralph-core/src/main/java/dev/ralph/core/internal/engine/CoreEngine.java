package dev.ralph.core.internal.engine;

import dev.ralph.Engine;
import dev.ralph.Ralph;
import dev.ralph.Redactor;
import dev.ralph.Session;
import dev.ralph.ToolSettings;
import dev.ralph.core.internal.loop.LoopBuilder;
import dev.ralph.core.internal.prompt.PromptTemplate;
import dev.ralph.core.internal.session.AgentStore;
import dev.ralph.core.internal.session.StoreRalph;
import dev.ralph.core.internal.tool.OpenTools;
import dev.ralph.spi.FrameStore;
import dev.ralph.tool.AgentTools;
import java.time.Clock;
import java.util.List;
import java.util.function.Supplier;

/**
 * The library's engine. {@link java.util.ServiceLoader} finds it; programs that save the time of
 * the search pass an instance to {@link Ralph.Builder#engine}. Stateless; safe for use by many
 * threads.
 */
public final class CoreEngine implements Engine {

  /** Creates the engine. */
  public CoreEngine() {}

  @Override
  public Ralph over(FrameStore store, Clock clock, Redactor redactor) {
    return new StoreRalph(store, AgentStore.served(store), clock, redactor, LoopBuilder::new);
  }

  @Override
  public Ralph overProvided(FrameStore store, Clock clock, Redactor redactor) {
    return new StoreRalph(store, AgentStore.located(store), clock, redactor, LoopBuilder::new);
  }

  @Override
  public String builtInTemplate() {
    return PromptTemplate.builtInText();
  }

  @Override
  public List<AgentTools.Definition> toolDefinitions() {
    return OpenTools.DEFINITIONS;
  }

  @Override
  public AgentTools openTools(Supplier<Session> session, ToolSettings settings) {
    return new OpenTools(session, settings);
  }
}
