package dev.ralph.core.internal.session;

import dev.ralph.Agent;
import dev.ralph.Control;
import dev.ralph.Inbox;
import dev.ralph.IterationLog;
import dev.ralph.Loop;
import dev.ralph.NoteLog;
import dev.ralph.Questions;
import dev.ralph.Ralph;
import dev.ralph.Session;
import dev.ralph.Step;
import dev.ralph.TaskLog;
import dev.ralph.ToolSettings;
import dev.ralph.core.internal.view.PastLedger;
import dev.ralph.log.Frame;
import dev.ralph.tool.AgentTools;
import java.time.Clock;
import java.time.Instant;

/** A read-only session as of a past moment. */
final class PastSession implements Session {

  private final LiveSession present;
  private final Clock clock;
  private final SessionLogs logs;

  PastSession(LiveSession present, Clock clock, SessionLogs logs) {
    this.present = present;
    this.clock = clock;
    this.logs = logs;
  }

  @Override
  public String name() {
    return present.name();
  }

  @Override
  public TaskLog tasks() {
    return logs.tasks;
  }

  @Override
  public NoteLog notes() {
    return logs.notes;
  }

  @Override
  public Inbox inbox() {
    return logs.inbox;
  }

  @Override
  public Clock clock() {
    return clock;
  }

  @Override
  public AgentTools openTools(ToolSettings settings) {
    throw PastLedger.unchangeable();
  }

  @Override
  public Questions questions() {
    return logs.questions;
  }

  @Override
  public IterationLog iterations() {
    return logs.iterations;
  }

  @Override
  public Control control() {
    return logs.control;
  }

  @Override
  public Session at(Frame frame) {
    return present.at(frame);
  }

  @Override
  public Session at(Instant time) {
    return present.at(time);
  }

  @Override
  public Session fork(String name) {
    return present.fork(this, name);
  }

  @Override
  public Session fork(Ralph other, String name) {
    return present.fork(this, other, name);
  }

  @Override
  public void delete() {
    throw PastLedger.unchangeable();
  }

  @Override
  public Step step(String name) {
    throw PastLedger.unchangeable();
  }

  @Override
  public Loop.Builder loop(Agent agent) {
    throw PastLedger.unchangeable();
  }
}
