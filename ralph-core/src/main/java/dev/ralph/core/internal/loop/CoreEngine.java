package dev.ralph.core.internal.loop;

import dev.ralph.Ralph;
import dev.ralph.Redactor;
import dev.ralph.Session;
import dev.ralph.core.internal.prompt.PromptTemplate;
import dev.ralph.core.internal.session.StoreRalph;
import dev.ralph.core.internal.tool.OpenTools;
import dev.ralph.spi.Engine;
import dev.ralph.spi.FrameStore;
import dev.ralph.tool.AgentTools;
import dev.ralph.tool.ToolDefinition;
import dev.ralph.tool.ToolSettings;
import java.time.Clock;
import java.util.List;
import java.util.function.Supplier;

/** What {@link Ralph} finds of this module: sessions, and the loops on them. */
public final class CoreEngine implements Engine {

  @Override
  public Ralph over(FrameStore store, Clock clock, Redactor redactor) {
    return new StoreRalph(store, clock, redactor, LoopBuilder::new);
  }

  @Override
  public String builtInTemplate() {
    return PromptTemplate.builtInText();
  }

  @Override
  public List<ToolDefinition> toolDefinitions() {
    return OpenTools.DEFINITIONS;
  }

  @Override
  public AgentTools openTools(Supplier<Session> session, ToolSettings settings) {
    return new OpenTools(session, settings);
  }
}
