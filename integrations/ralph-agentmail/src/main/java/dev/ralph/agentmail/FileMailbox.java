package dev.ralph.agentmail;

import dev.ralph.domain.Priority;
import dev.ralph.log.RalphException;
import dev.ralph.mail.Mail;
import dev.ralph.mail.Mailbox;
import dev.ralph.mail.NewMail;
import dev.ralph.mail.Received;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.Optional;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * A mailbox in an AgentMail file, with the operations that the file format supports: a mail has a
 * sender, one recipient and a text, and becomes read when it is received.
 */
final class FileMailbox implements Mailbox {

  private static final Duration SHORTEST_LEASE = Duration.ofMillis(1);
  private static final Duration LONGEST_LEASE = Duration.ofDays(30);

  /** The polling interval of a waiting receiver. */
  private static final Duration POLL_INTERVAL = Duration.ofMillis(50);

  private final AgentMail mail;
  private final String name;

  FileMailbox(AgentMail mail, String name) {
    this.mail = mail;
    this.name = Objects.requireNonNull(name, "recipient");
  }

  @Override
  public String name() {
    return name;
  }

  @Override
  public List<Mail> send(NewMail mail) {
    Objects.requireNonNull(mail, "mail");
    Set<String> recipients = Set.copyOf(mail.to());
    if (recipients.isEmpty()) {
      throw RalphException.invalid("a mail needs a recipient");
    }
    boolean fits =
        mail.type() == null
            && mail.replyTo() == null
            && mail.headline() == null
            && mail.priority() == Priority.NORMAL
            && mail.tags().isEmpty()
            && mail.deadline() == null
            && mail.key() == null;
    if (recipients.size() > 1 || !fits) {
      throw cannot("store more than the sender, one recipient and the text of a mail");
    }
    return List.of(
        new FileMail(this.mail.send(name, recipients.iterator().next(), mail.text()), false));
  }

  @Override
  public Optional<Received> receive(Duration lease) {
    Objects.requireNonNull(lease, "lease");
    if (lease.compareTo(SHORTEST_LEASE) < 0 || lease.compareTo(LONGEST_LEASE) > 0) {
      throw RalphException.invalid("the lease must be from 1 ms to 30 days, not " + lease);
    }
    return mail.receive(name, message -> {})
        .map(
            message ->
                Received.of(
                    this,
                    new FileMail(message, true),
                    message.id(),
                    Instant.now().plus(lease),
                    false));
  }

  @Override
  public Optional<Received> receive(Duration lease, Duration timeout) throws InterruptedException {
    Objects.requireNonNull(timeout, "timeout");
    long begun = System.nanoTime();
    while (true) {
      String before = mail.fingerprint(name);
      Optional<Received> received = receive(lease);
      if (received.isPresent()) {
        return received;
      }
      do {
        if (Duration.ofNanos(System.nanoTime() - begun).compareTo(timeout) >= 0) {
          return Optional.empty();
        }
        Thread.sleep(POLL_INTERVAL.toMillis());
      } while (mail.fingerprint(name).equals(before));
    }
  }

  @Override
  public Mail ack(String ref, String token) {
    Objects.requireNonNull(token, "token");
    Mail read = get(ref);
    if (!read.id().equals(token)) {
      throw RalphException.invalid("mail " + ref + " was not received with this token");
    }
    return read;
  }

  @Override
  public Mail release(String ref, String token) {
    throw cannot("release a received mail");
  }

  @Override
  public Received renew(String ref, String token, Duration lease) {
    throw cannot("renew a lease");
  }

  @Override
  public Mail reply(String ref, @Nullable String token, NewMail answer) {
    throw cannot("store replies");
  }

  @Override
  public Optional<Mail> ask(NewMail mail, Duration timeout) {
    throw cannot("store replies");
  }

  private RalphException cannot(String operation) {
    return RalphException.unsupported("an AgentMail mailbox can't " + operation);
  }

  @Override
  public List<Mail> unread() {
    List<Mail> unread = new ArrayList<>(history());
    unread.removeIf(each -> each.state() == Mail.State.READ);
    return unread;
  }

  @Override
  public List<Mail> history() {
    List<Mail> all = new ArrayList<>();
    for (AgentMessage message : mail.messages(name)) {
      all.add(new FileMail(message, false));
    }
    return all;
  }

  @Override
  public Mail get(String ref) {
    Objects.requireNonNull(ref, "ref");
    for (Mail each : history()) {
      if (each.id().equals(ref)) {
        return each;
      }
    }
    throw RalphException.notFound(
        "no mail " + RalphException.quote(ref) + " in the box " + RalphException.quote(name));
  }

  @Override
  public List<Mail> thread(String ref) {
    return List.of(get(ref));
  }
}
