package dev.ralph.tx;

import org.junit.jupiter.api.Tag;

/** Tests deliveries from files to agents with a Chronicle store. */
@Tag("slow")
class ChronicleTxDeliveryTest extends TxDeliveryTest {

  @Override
  String store() {
    return "chronicle";
  }
}
