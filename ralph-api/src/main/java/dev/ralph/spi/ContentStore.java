package dev.ralph.spi;

/**
 * Keeps texts too large for the log itself, by their hash. Used by stores, not by readers: a
 * frame's {@link dev.ralph.log.Frame#content()} fetches what it needs.
 */
public interface ContentStore {

  /**
   * Keeps the bytes and makes them durable.
   *
   * @return their address: the hash's name, a dash, and the hash in hexadecimal
   * @throws dev.ralph.log.RalphException FULL if there is no room, IO if writing fails
   */
  String put(byte[] content);

  /**
   * Returns the bytes of that address.
   *
   * @throws dev.ralph.log.DamagedException if they are missing or are not what was put
   */
  byte[] get(String address);
}
