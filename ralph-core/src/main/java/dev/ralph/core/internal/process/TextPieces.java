package dev.ralph.core.internal.process;

import java.nio.ByteBuffer;
import java.nio.CharBuffer;
import java.nio.charset.CharsetDecoder;
import java.nio.charset.CoderResult;
import java.nio.charset.CodingErrorAction;
import java.nio.charset.StandardCharsets;
import java.util.function.Consumer;

/**
 * Decodes bytes into pieces of text. A piece is a line with its newline. A longer line is split
 * into pieces of at most {@link ProcessSpec#LONGEST_PIECE} chars, between words if possible, so
 * that keys stay whole. The concatenated pieces are the whole text.
 */
final class TextPieces {

  private static final int LONGEST_WORD = 2048;

  private final CharsetDecoder decoder =
      StandardCharsets.UTF_8
          .newDecoder()
          .onMalformedInput(CodingErrorAction.REPLACE)
          .onUnmappableCharacter(CodingErrorAction.REPLACE);
  private final ByteBuffer bytes = ByteBuffer.allocate(OutputDrain.READ_SIZE + 16);
  private final CharBuffer chars = CharBuffer.allocate(OutputDrain.READ_SIZE + 16);
  private final StringBuilder piece = new StringBuilder();
  private final Consumer<String> consumer;

  TextPieces(Consumer<String> consumer) {
    this.consumer = consumer;
  }

  /** Adds at most {@link OutputDrain#READ_SIZE} bytes. */
  void add(byte[] read, int length) {
    bytes.put(read, 0, length);
    decode(false);
  }

  /** Delivers the rest: an incomplete line, or an incomplete character. */
  void end() {
    decode(true);
    while (decoder.flush(chars) == CoderResult.OVERFLOW) {
      split();
    }
    split();
    deliver();
  }

  private void decode(boolean end) {
    bytes.flip();
    while (decoder.decode(bytes, chars, end) == CoderResult.OVERFLOW) {
      split();
    }
    split();
    // Keep the first bytes of an incomplete character.
    bytes.compact();
  }

  private void split() {
    chars.flip();
    while (chars.hasRemaining()) {
      char c = chars.get();
      if (Character.isHighSurrogate(c) && piece.length() == ProcessSpec.LONGEST_PIECE - 1) {
        deliver();
      }
      piece.append(c);
      if (c == '\n') {
        deliver();
      } else if (piece.length() == ProcessSpec.LONGEST_PIECE) {
        deliver(endOfWord());
      }
    }
    chars.clear();
  }

  /**
   * Returns the start of the piece's last word, or the end of the piece if the word is very long.
   */
  private int endOfWord() {
    int at = piece.length();
    int least = at - LONGEST_WORD;
    while (at > least && !Character.isWhitespace(piece.charAt(at - 1))) {
      at--;
    }
    return at > least ? at : piece.length();
  }

  private void deliver() {
    deliver(piece.length());
  }

  private void deliver(int length) {
    if (length > 0) {
      String text = piece.substring(0, length);
      piece.delete(0, length);
      consumer.accept(text);
    }
  }
}
