package dev.ralph.tck;

/** The store that the broken ones are made of passes the whole kit. */
class RamDiskConformanceTest extends FrameStoreConformance {

  @Override
  protected StoreFixture fixture() {
    return new RamDiskFixture(new RamDiskProvider());
  }
}
