package dev.ralph.core.internal.text;

import dev.ralph.Message;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;

/**
 * How an agent that says that all is done proves that its model has read what is unread: it is
 * refused, shown the messages with a word, and repeats the word. A model that calls several tools
 * at once can't know the word before it has had the messages.
 *
 * <p>The word is made of the ids of the messages, which are random enough. So nothing keeps it: it
 * is the same in every process and with every refusal, until there is a message more or less.
 *
 * <p>Immutable; safe for use by many threads.
 */
public final class ReadingProof {

  /**
   * How much is shown at once, in bytes of UTF-8: Codex leaves out the middle of a result of more
   * than 12,000, if it does not know the model, and something stands before the messages. A message
   * that is longer can't be proven as it is; of several the others are next.
   */
  private static final int ROOM = 8_000;

  /** As many as can be marked at once. */
  private static final int MOST = 50;

  /** Of a long message whose end was shown, in characters. */
  private static final int BEGINNING = 200;

  /** No letters that look or sound like others; three pairs make 512,000 words. */
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
   * Returns what a reader has to prove.
   *
   * @param unread the unread messages that it may see, oldest first
   * @param ended whether it has seen the end of a message that is too long to be shown at once
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
    return message.length() > ROOM || bytes(Excerpt.indented(message.text())) > ROOM;
  }

  private static int bytes(String text) {
    int bytes = 0;
    for (int i = 0; i < text.length(); i++) {
      bytes += bytes(text.charAt(i));
    }
    return bytes;
  }

  /** Returns at most how many bytes of UTF-8 a character takes, a half one as well. */
  private static int bytes(char c) {
    return c < 0x80 ? 1 : c < 0x800 ? 2 : 3;
  }

  /**
   * Returns how many characters of a text, from the offset on, can be shown at once, each behind a
   * line break with what indents it.
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

  /** Returns the messages that the word stands for, oldest first; empty if nothing is unread. */
  public List<Message> messages() {
    return messages;
  }

  /** Returns those that have to be read by themselves first; there is no word while there are. */
  public List<Message> cut() {
    return cut;
  }

  /**
   * Returns a message as it is shown with the word: whole, unless the reader has seen its end.
   *
   * @param heading what stands before its text
   */
  public static String item(Message message, String heading) {
    return heading
        + (isTooLong(message)
            ? Excerpt.indented(message.beginning(BEGINNING)) + "… (you were shown all of it)"
            : Excerpt.indented(message.text()));
  }

  /** Returns whether there is a word to be shown with the messages. */
  public boolean isPossible() {
    return cut.isEmpty() && !messages.isEmpty();
  }

  /** Returns the word, to be shown behind the messages only. */
  public String word() {
    return word;
  }

  /** Returns whether that is the word, however a model writes it. */
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
