package dev.ralph.tx;

/** Tests deliveries from files to agents with a Chronicle store. */
class ChronicleTxDeliveryTest extends TxDeliveryTest {

  @Override
  String store() {
    return "chronicle";
  }
}
