package dev.ralph.store.socket;

import dev.ralph.log.RalphException;

/** What a client asks for. Sent by its place here, so {@link Form#VERSION} counts every change. */
enum Request {
  APPEND,
  READ,
  /** More of what the last {@link #READ} began. */
  MORE,
  /** Nothing more of it. Not answered. */
  ENOUGH,
  GET,
  LAST,
  CONTENT,
  TOPICS,
  FIND_BATCH,
  VERIFY,
  LEFTOVERS,
  REMOVE_LEFTOVERS,
  ERASE,
  ERASE_TOPICS,
  LOAD,
  SAVE,
  /** To be told of all that is appended: the last request of a connection. */
  LISTEN;

  private static final Request[] ALL = values();

  void put(Wire wire) {
    wire.begin();
    wire.putByte(ordinal());
  }

  static Request take(Wire wire) {
    int place = wire.takeByte();
    if (place >= ALL.length) {
      throw RalphException.io("there is no request " + place);
    }
    wire.begin();
    return ALL[place];
  }
}
