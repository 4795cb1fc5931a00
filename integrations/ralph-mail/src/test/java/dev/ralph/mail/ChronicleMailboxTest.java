package dev.ralph.mail;

class ChronicleMailboxTest extends LogMailboxConformance {
  @Override
  String store() {
    return "chronicle";
  }
}
