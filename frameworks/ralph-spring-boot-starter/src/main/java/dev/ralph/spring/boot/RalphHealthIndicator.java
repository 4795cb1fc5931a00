package dev.ralph.spring.boot;

import dev.ralph.Ralph;
import org.springframework.boot.health.contributor.AbstractHealthIndicator;
import org.springframework.boot.health.contributor.Health;

/** Reports whether the store is open, with damage found so far. The check reads no frames. */
final class RalphHealthIndicator extends AbstractHealthIndicator {

  private final Ralph ralph;
  private final RalphLoops loops;

  RalphHealthIndicator(Ralph ralph, RalphLoops loops) {
    super("the store is not usable");
    this.ralph = ralph;
    this.loops = loops;
  }

  @Override
  protected void doHealthCheck(Health.Builder health) {
    health
        .up()
        .withDetail("store", ralph.log().info().kind())
        .withDetail("loops", loops.running().size())
        .withDetail("damage", ralph.damage().size());
  }
}
