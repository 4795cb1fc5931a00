package dev.ralph.core.internal.loop.agent;

import dev.ralph.RecordEntry;
import dev.ralph.log.Meta;
import dev.ralph.tool.AgentTools;
import java.util.List;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Consumer;

/** The tools of an agent in this program, with each call and result in the iteration's record. */
final class RecordedTools implements AgentTools {

  private final AgentTools tools;
  private final Consumer<RecordEntry> entries;
  private final AtomicInteger calls;

  /**
   * Wraps tools.
   *
   * @param tools closed with this
   * @param entries receives the entries, in the thread of each call
   * @param calls counts the calls of the iteration, for their ids
   */
  RecordedTools(AgentTools tools, Consumer<RecordEntry> entries, AtomicInteger calls) {
    this.tools = tools;
    this.entries = entries;
    this.calls = calls;
  }

  @Override
  public List<AgentTools.Definition> definitions() {
    return tools.definitions();
  }

  @Override
  public Call begin(String name, Meta arguments) {
    Call call = tools.begin(name, arguments);
    String id = "ralph-" + calls.incrementAndGet();
    return new Call() {
      @Override
      public AgentTools.Result run(Consumer<String> progress) {
        entries.accept(RecordEntry.toolCall(id, name, arguments.json()));
        AgentTools.Result result = call.run(progress);
        entries.accept(RecordEntry.toolResult(id, result.isError(), result.text()));
        return result;
      }

      @Override
      public void answered() {
        call.answered();
      }
    };
  }

  @Override
  public Call beginMessages() {
    return tools.beginMessages();
  }

  @Override
  public void close() {
    tools.close();
  }

  @Override
  public String toString() {
    return tools.toString();
  }
}
