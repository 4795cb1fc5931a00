package dev.ralph.core.internal.delivery;

import dev.ralph.Message;
import dev.ralph.core.internal.text.TextExcerpt;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;

/**
 * Proves that a model has read the unread messages before its agent declares completion. The agent
 * is rejected, receives the messages with a word, and repeats the word. A model that calls several
 * tools at once cannot know the word before it receives the messages.
 *
 * <p>The word is derived from the ids of the messages, which are random enough. So it is not
 * stored, and is the same in each process and for each rejection until the messages change.
 *
 * <p>Immutable; safe for use by many threads.
 */
public final class ReadingProof {

  /**
   * The room for messages in bytes of UTF-8. Codex omits the middle of results of more than 12,000
   * bytes from unknown models, and other text precedes the messages. A longer message must be read
   * separately; messages without room follow later.
   */
  private static final int ROOM = 8_000;

  /** The number of messages that can be marked as read at once. */
  private static final int MOST = 50;

  /** The number of characters shown of a long message whose end the reader has seen. */
  private static final int BEGINNING = 200;

  /** Letters that neither look nor sound alike; three pairs make 512,000 words. */
  private static final String CONSONANTS = "bdfghklmnprstvwz";

  private static final String VOWELS = "aeiou";

  private final List<Message> messages;
  private final List<Message> cut;
  private final String word;

  private ReadingProof(List<Message> messages, List<Message> cut) {
    this.messages = List.copyOf(messages);
    this.cut = List.copyOf(cut);
    this.word = word(messages);
  }

  /**
   * Creates the proof for a reader.
   *
   * @param unread the unread messages that the reader may see, oldest first
   * @param ended returns whether the reader has seen the end of a message that is too long for one
   *     reply
   */
  public static ReadingProof of(List<Message> unread, Predicate<Message> ended) {
    List<Message> messages = new ArrayList<>();
    List<Message> cut = new ArrayList<>();
    int room = ROOM;
    for (Message message : unread) {
      boolean tooLong = isTooLong(message);
      if (tooLong && !ended.test(message)) {
        cut.add(message);
        continue;
      }
      room -= bytes(item(message, OperatorMessages.heading(message)));
      if (!messages.isEmpty() && (room < 0 || messages.size() == MOST)) {
        break;
      }
      messages.add(message);
    }
    return new ReadingProof(messages, cut);
  }

  private static boolean isTooLong(Message message) {
    return message.length() > ROOM || bytes(TextExcerpt.indented(message.text())) > ROOM;
  }

  private static int bytes(String text) {
    int bytes = 0;
    for (int i = 0; i < text.length(); i++) {
      bytes += bytes(text.charAt(i));
    }
    return bytes;
  }

  /** Returns an upper bound of the UTF-8 bytes of a char, also for a surrogate. */
  private static int bytes(char c) {
    return c < 0x80 ? 1 : c < 0x800 ? 2 : 3;
  }

  /**
   * Returns the number of characters from an offset that fit into one reply, including the indents
   * after line breaks.
   */
  public static int fitting(String text, int offset) {
    int room = ROOM;
    int end = offset;
    while (end < text.length() && room > 2) {
      room -= text.charAt(end) == '\n' ? 3 : bytes(text.charAt(end));
      end++;
    }
    return end - offset;
  }

  private static String word(List<Message> messages) {
    long hash = 0;
    for (Message message : messages) {
      String id = message.id();
      for (int i = 0; i < id.length(); i++) {
        hash = (hash ^ id.charAt(i)) * 0x100000001b3L;
      }
    }
    StringBuilder word = new StringBuilder();
    long left = (hash ^ hash >>> 32) * 0x9e3779b97f4a7c15L >>> 16;
    for (int pair = 0; pair < 3; pair++) {
      word.append(CONSONANTS.charAt((int) (left % CONSONANTS.length())));
      left /= CONSONANTS.length();
      word.append(VOWELS.charAt((int) (left % VOWELS.length())));
      left /= VOWELS.length();
    }
    return word.toString();
  }

  /** Returns the messages of the word, oldest first; empty without unread messages. */
  public List<Message> messages() {
    return messages;
  }

  /** Returns the long messages that must be read first. Until then the agent gets no word. */
  public List<Message> cut() {
    return cut;
  }

  /**
   * Renders a message shown with the word: whole, or shortened if the reader has seen its end.
   *
   * @param heading the heading before the text
   */
  public static String item(Message message, String heading) {
    return heading
        + (isTooLong(message)
            ? TextExcerpt.indented(message.beginning(BEGINNING))
                + "… (you have already seen the"
                + " full text)"
            : TextExcerpt.indented(message.text()));
  }

  /** Returns whether there is a word to show with the messages. */
  public boolean isPossible() {
    return cut.isEmpty() && !messages.isEmpty();
  }

  /** Returns the word, which must only be shown after the messages. */
  public String word() {
    return word;
  }

  /** Returns whether a text is the word, ignoring case and other characters than letters. */
  public boolean isProvenBy(@Nullable String given) {
    return isPossible() && given != null && letters(given).equals(word);
  }

  private static String letters(String given) {
    StringBuilder letters = new StringBuilder();
    String lower = given.toLowerCase(Locale.ROOT);
    for (int i = 0; i < lower.length() && letters.length() <= 6; i++) {
      char c = lower.charAt(i);
      if (c >= 'a' && c <= 'z') {
        letters.append(c);
      }
    }
    return letters.toString();
  }
}
