package org.example;

import dev.ralph.Ralph;
import dev.ralph.core.ListLog;
import java.io.IOException;
import java.util.ArrayList;
import java.util.Base64;
import java.util.LinkedList;
import java.util.List;
import org.bsc.langgraph4j.RunnableConfig;
import org.bsc.langgraph4j.checkpoint.AbstractCheckpointSaver;
import org.bsc.langgraph4j.checkpoint.Checkpoint;
import org.bsc.langgraph4j.serializer.StateSerializer;
import org.bsc.langgraph4j.serializer.std.CheckpointSerializer;
import org.bsc.langgraph4j.state.AgentState;

/**
 * Stores the checkpoints of LangGraph4j's graphs as a list per thread, so that another process can
 * continue a graph.
 */
public final class GraphCheckpoints extends AbstractCheckpointSaver {

  private final ListLog lists;
  private final CheckpointSerializer serializer;

  public GraphCheckpoints(Ralph ralph, StateSerializer<AgentState> states) {
    lists = ListLog.of(ralph, "graphs");
    serializer = new CheckpointSerializer(states);
  }

  @Override
  protected LinkedList<Checkpoint> loadCheckpoints(RunnableConfig config) throws Exception {
    LinkedList<Checkpoint> newestFirst = new LinkedList<>();
    for (String text : lists.get(threadId(config))) {
      newestFirst.push(serializer.bytesToObject(Base64.getDecoder().decode(text)));
    }
    return newestFirst;
  }

  @Override
  protected void insertedCheckpoint(
      RunnableConfig config, LinkedList<Checkpoint> all, Checkpoint added) throws Exception {
    lists.append(threadId(config), List.of(text(added)));
  }

  @Override
  protected void updatedCheckpoint(
      RunnableConfig config, LinkedList<Checkpoint> all, Checkpoint changed) throws Exception {
    List<String> texts = new ArrayList<>();
    for (Checkpoint each : all) {
      texts.add(0, text(each));
    }
    lists.replace(threadId(config), texts);
  }

  @Override
  protected Tag releaseCheckpoints(RunnableConfig config, LinkedList<Checkpoint> all) {
    lists.delete(threadId(config));
    return new Tag(threadId(config), all);
  }

  private String text(Checkpoint checkpoint) throws IOException {
    return Base64.getEncoder().encodeToString(serializer.objectToBytes(checkpoint));
  }
}
