package dev.ralph.tx;

/** The names of the fields in the front matter of a message. */
final class TxField {

  static final String TO = "to";
  static final String FROM = "from";
  static final String TYPE = "type";
  static final String STATUS = "status";
  static final String REQUESTER = "requester";
  static final String ID = "msg-id";
  static final String IN_REPLY_TO = "in-reply-to";
  static final String HEADLINE = "headline";
  static final String TIMESTAMP = "timestamp";
  static final String PRIORITY = "priority";
  static final String TAGS = "tags";
  static final String DEADLINE = "deadline";

  private TxField() {}
}
