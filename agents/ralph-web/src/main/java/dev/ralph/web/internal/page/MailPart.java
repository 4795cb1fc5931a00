package dev.ralph.web.internal.page;

import dev.ralph.Ralph;
import dev.ralph.log.RalphException;
import dev.ralph.log.View;
import java.lang.System.Logger.Level;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * The part of a page with the mail, which is read once after all other parts. Not thread-safe,
 * except {@link #read}.
 */
final class MailPart {

  private static final System.Logger LOG = System.getLogger(MailPart.class.getPackageName());

  private final View<RecentMail.Result> mail;
  private volatile boolean isRead;
  private boolean wasRead;
  private boolean isStale = true;

  /**
   * Creates a part that is not read yet.
   *
   * @param session the session of the mail, or null for all mail of the store
   */
  MailPart(Ralph ralph, @Nullable String session) {
    this.mail = ralph.view(RecentMail.FILTER, RecentMail.fold(session));
  }

  /** Reads all mail. May be called from any thread. */
  void read() {
    try {
      mail.current();
    } catch (RalphException e) {
      LOG.log(Level.DEBUG, "cannot read the mail now", e);
    }
    isRead = true;
  }

  /** Records that mail was sent or read. */
  void changed() {
    isStale = true;
  }

  /** Adds the part if it has changed since the last call. */
  void addTo(Map<String, String> parts) {
    boolean isRead = this.isRead;
    if (isStale || isRead != wasRead) {
      parts.put("mail", (isRead ? mail.current() : RecentMail.Result.NOTHING).json().json());
    }
    wasRead = isRead;
    isStale = false;
  }
}
