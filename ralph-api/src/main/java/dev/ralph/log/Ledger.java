package dev.ralph.log;

import javax.annotation.Nullable;

/**
 * A state that can be asked for and, unless it is one of the past, be changed by deciding on it.
 * Safe for use by many threads.
 */
public interface Ledger<R> {

  /** Returns the state. */
  R state();

  /**
   * Decides on the present state and appends what was decided, as one step.
   *
   * @param what is being done, as the error message calls it: "claiming t3"
   * @throws dev.ralph.RalphException CONTENDED if others kept changing the state, over many
   *     attempts and for two seconds at least; UNSUPPORTED if this is a state of the past
   */
  default <T> T decide(String what, Decider<R, T> decider) {
    return decide(what, null, decider);
  }

  /**
   * The same for a decider that looks at other frames as well.
   *
   * @param others selects the frames, of the same scope, that the decider depends on as well; null
   *     for none. It must read them itself, each time it is called
   */
  <T> T decide(String what, @Nullable TopicFilter others, Decider<R, T> decider);
}
