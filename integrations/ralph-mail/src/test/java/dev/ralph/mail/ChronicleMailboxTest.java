package dev.ralph.mail;

import org.junit.jupiter.api.Tag;

@Tag("slow")
class ChronicleMailboxTest extends LogMailboxConformance {
  @Override
  String store() {
    return "chronicle";
  }
}
