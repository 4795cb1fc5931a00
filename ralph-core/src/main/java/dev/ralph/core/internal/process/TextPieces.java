package dev.ralph.core.internal.process;

import java.nio.ByteBuffer;
import java.nio.CharBuffer;
import java.nio.charset.CharsetDecoder;
import java.nio.charset.CoderResult;
import java.nio.charset.CodingErrorAction;
import java.nio.charset.StandardCharsets;
import java.util.function.Consumer;

/**
 * Turns bytes, however they are cut, into pieces of text: a line with its newline, or the next
 * {@link ProcessSpec#LONGEST_PIECE} chars at most of a longer one, cut between two words where
 * there are any: a key that stands in it must be seen whole. The pieces put together are the whole
 * text.
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

  /** Takes in at most {@link OutputDrain#READ_SIZE} bytes. */
  void add(byte[] read, int length) {
    bytes.put(read, 0, length);
    decode(false);
  }

  /** Delivers what is left: an unfinished line, a character cut off in its middle. */
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
    // The first bytes of a character whose others are still to come stay.
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

  /** Returns where the last word of the piece begins, or its end if that word is very long. */
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
