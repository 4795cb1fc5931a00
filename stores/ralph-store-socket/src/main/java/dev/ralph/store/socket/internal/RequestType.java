package dev.ralph.store.socket.internal;

import dev.ralph.log.RalphException;

/**
 * The type of a request. The ordinal is sent, so every change here raises {@link
 * WireCodec#VERSION}.
 */
enum RequestType {
  APPEND,
  READ,
  /** Requests the next page of the last {@link #READ}. */
  MORE,
  /** Ends the last {@link #READ}. The server sends no answer. */
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
  /** Requests notifications of appended frames. No other request may follow on the connection. */
  LISTEN;

  private static final RequestType[] ALL = values();

  void put(Wire wire) {
    wire.begin();
    wire.putByte(ordinal());
  }

  static RequestType take(Wire wire) {
    int place = wire.takeByte();
    if (place >= ALL.length) {
      throw RalphException.io("unknown request type " + place);
    }
    wire.begin();
    return ALL[place];
  }
}
