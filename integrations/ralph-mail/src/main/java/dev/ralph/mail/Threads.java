package dev.ralph.mail;

import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.Deque;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;

/** Finds the mails of a thread by following their answers. */
final class Threads {

  private Threads() {}

  /** Returns the mails of the thread of a mail, oldest first. */
  static List<Mail> of(Mail start, List<Mail> all) {
    Map<String, String> commonIds = new HashMap<>();
    Map<String, List<Mail>> copies = new HashMap<>();
    for (Mail mail : all) {
      commonIds.put(mail.id(), mail.commonId());
      copies.computeIfAbsent(mail.commonId(), id -> new ArrayList<>()).add(mail);
    }
    Map<String, Set<String>> linked = new HashMap<>();
    for (Mail mail : all) {
      String answered = mail.replyTo();
      if (answered != null) {
        String other = commonIds.getOrDefault(answered, answered);
        linked.computeIfAbsent(other, id -> new HashSet<>()).add(mail.commonId());
        linked.computeIfAbsent(mail.commonId(), id -> new HashSet<>()).add(other);
      }
    }
    List<Mail> thread = new ArrayList<>();
    Set<String> seen = new HashSet<>(Set.of(start.commonId()));
    Deque<String> next = new ArrayDeque<>(seen);
    while (!next.isEmpty()) {
      String id = next.remove();
      thread.addAll(copies.getOrDefault(id, List.of()));
      linked.getOrDefault(id, Set.of()).stream().filter(seen::add).forEach(next::add);
    }
    thread.sort(Comparator.comparing(Mail::id));
    return thread;
  }
}
