package dev.ralph.spring.boot;

import dev.ralph.Ralph;
import org.springframework.boot.health.contributor.AbstractHealthIndicator;
import org.springframework.boot.health.contributor.Health;

/** Whether the store is open. Nothing is read for that; damage that was met is told. */
final class RalphHealthIndicator extends AbstractHealthIndicator {

  private final Ralph ralph;
  private final RalphLoops loops;

  RalphHealthIndicator(Ralph ralph, RalphLoops loops) {
    super("the store is not to be used");
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
