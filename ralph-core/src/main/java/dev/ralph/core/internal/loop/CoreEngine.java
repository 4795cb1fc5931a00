package dev.ralph.core.internal.loop;

import dev.ralph.Ralph;
import dev.ralph.Redactor;
import dev.ralph.core.internal.prompt.PromptTemplate;
import dev.ralph.core.internal.session.StoreRalph;
import dev.ralph.core.internal.view.Log;
import dev.ralph.spi.Engine;
import dev.ralph.spi.FrameStore;
import java.time.Clock;

/** What {@link Ralph} finds of this module: sessions, and the loops on them. */
public final class CoreEngine implements Engine {

  @Override
  public Ralph over(FrameStore store, Clock clock, Redactor redactor) {
    return new StoreRalph(new Log(store, clock, redactor), LoopBuilder::new);
  }

  @Override
  public String builtInTemplate() {
    return PromptTemplate.builtInText();
  }
}
