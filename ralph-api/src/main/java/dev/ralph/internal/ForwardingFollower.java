package dev.ralph.internal;

import dev.ralph.log.Damage;
import dev.ralph.log.Follower;
import dev.ralph.log.Frame;
import dev.ralph.log.Position;
import java.time.Duration;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * Forwards each call to another follower. Extend the class to change a few methods. No method calls
 * another method of this class.
 */
public abstract class ForwardingFollower implements Follower {

  private final Follower follower;

  /**
   * Wraps another follower.
   *
   * @param follower receives each call; closed together with this follower
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
