package dev.ralph.tx;

/**
 * Where an agent's messages go: into its terminal, to a command, or to a piece of code.
 *
 * <p>A message counts as delivered when {@link #deliver} returns. If that throws, the message is
 * given back, and tried again after a pause; the pauses grow to half a minute. Until then nothing
 * else is delivered to that agent, so that its messages keep their order. If the process is killed
 * in the middle, the message is delivered once more.
 */
public interface TxSink {

  /**
   * Gives a message to the agent. Called by one thread at a time. It may take as long as it needs:
   * nobody else is given the message meanwhile. An {@link Error} ends the consumer; the message is
   * free again half a minute later.
   *
   * @throws InterruptedException if the thread is interrupted because nothing more is to be
   *     delivered; the message is given back
   * @throws Exception of any kind if the agent did not get it
   */
  void deliver(TxDelivery delivery) throws Exception;

  /**
   * Returns whether the agent is there. While it is not, its messages wait, and it does not count
   * as running. Asked before each message, and once a minute.
   *
   * @throws Exception of any kind if that can't be known; the agent is not there then
   */
  default boolean isReady() throws Exception {
    return true;
  }
}
