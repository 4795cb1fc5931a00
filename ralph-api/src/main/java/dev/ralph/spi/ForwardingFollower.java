package dev.ralph.spi;

import dev.ralph.log.Damage;
import dev.ralph.log.Follower;
import dev.ralph.log.Frame;
import dev.ralph.log.Position;
import java.time.Duration;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * A follower that leaves everything to another one. Extend it to do a few methods differently; none
 * calls another one of this class.
 */
public abstract class ForwardingFollower implements Follower {

  private final Follower follower;

  /**
   * Makes a follower that stands before another one.
   *
   * @param follower what every method is left to; closed with this one
   */
  protected ForwardingFollower(Follower follower) {
    this.follower = follower;
  }

  @Override
  public @Nullable Frame poll(Duration timeout) throws InterruptedException {
    return follower.poll(timeout);
  }

  @Override
  public void wakeup() {
    follower.wakeup();
  }

  @Override
  public Position position() {
    return follower.position();
  }

  @Override
  public List<Damage> damage() {
    return follower.damage();
  }

  @Override
  public void close() {
    follower.close();
  }
}
