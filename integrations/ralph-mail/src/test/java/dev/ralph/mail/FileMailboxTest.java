package dev.ralph.mail;

class FileMailboxTest extends LogMailboxConformance {
  @Override
  String store() {
    return "file";
  }
}
