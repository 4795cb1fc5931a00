package dev.ralph.tx;

/** Messages on their way from a file to an agent, by a store of Chronicle. */
class ChronicleTxDeliveryTest extends TxDeliveryTest {

  @Override
  String store() {
    return "chronicle";
  }
}
