package dev.ralph.mail;

class MemoryMailboxTest extends LogMailboxConformance {
  @Override
  String store() {
    return "memory";
  }
}
