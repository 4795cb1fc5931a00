package dev.ralph.core.internal.branch;

import dev.ralph.core.internal.git.GitTrees;
import dev.ralph.core.internal.git.SessionNames;
import dev.ralph.core.internal.process.Git;
import dev.ralph.domain.ProcessIdentity;
import dev.ralph.log.Meta;
import dev.ralph.log.RalphException;
import dev.ralph.log.Topic;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.ClosedByInterruptException;
import java.nio.channels.FileChannel;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.time.Duration;
import java.util.HashSet;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * A lock on a session's branch and its work trees. While a process has the hold, no other process
 * works on the branch, and {@link WorkBranch} neither discards nor moves it. The operating system
 * releases the holds of a killed process. Safe for use by many threads.
 *
 * <pre>{@code
 * try (BranchHold held = BranchHold.take(project, "add-login")) {
 *   Worktree tree = Worktree.open(project, "add-login");
 *   session.loop(agent).directory(tree.folder()).run();
 * }
 * }</pre>
 */
public final class BranchHold implements AutoCloseable {

  private static final Duration PATIENCE = Duration.ofMinutes(5);

  /** The folder in the repository's Git folder. */
  private static final String PLACE = "ralph";

  private static final int LONGEST = 1_000;

  /** The time in which a new holder surely has written its identity. */
  private static final Duration SIGNED_AFTER = Duration.ofSeconds(2);

  private static final Duration RETRY_INTERVAL = Duration.ofMillis(10);

  /**
   * The lock files held in this process. On close of any channel to a file, the operating system
   * releases the process's lock on the file. So a file held here is never opened again.
   */
  private static final Set<Path> OWN = new HashSet<>();

  private final Path file;
  private final FileChannel channel;

  private BranchHold(Path file, FileChannel channel) {
    this.file = file;
    this.channel = channel;
  }

  /**
   * Acquires a session's branch for this process, even if the branch does not exist yet.
   *
   * @param project a folder of the repository
   * @param session the name of the session, and of its branch and work trees
   * @throws RalphException CONTENDED if the branch is held, with the holding process; INVALID if
   *     there is no repository
   * @throws InterruptedException if the thread is interrupted
   */
  public static BranchHold take(Path project, String session) throws InterruptedException {
    SessionNames names = new SessionNames(Topic.checkSegment("the session name", session));
    Path folder = project.toAbsolutePath().normalize();
    Git git = new Git(folder, PATIENCE);
    GitTrees.checkout(git, folder);
    Path place = GitTrees.common(git, folder).resolve(PLACE);
    try {
      Files.createDirectories(place);
      return lock(place.resolve(session + ".held"), names.branch());
    } catch (ClosedByInterruptException e) {
      Thread.interrupted(); // InterruptedException requires a cleared interrupt status
      throw new InterruptedException();
    } catch (IOException e) {
      throw GitTrees.failed("can't record in " + place + " that " + names.branch() + " is used", e);
    }
  }

  private static BranchHold lock(Path file, String branch)
      throws IOException, InterruptedException {
    long begun = System.nanoTime();
    while (true) {
      BranchHold hold = tryLock(file, branch);
      if (hold != null) {
        return hold;
      }
      if (System.nanoTime() - begun > SIGNED_AFTER.toNanos()) {
        throw inUse(branch, "another process");
      }
      Thread.sleep(RETRY_INTERVAL.toMillis());
    }
  }

  /**
   * Tries to acquire the lock. Returns null if another process has the lock and has not written its
   * identity.
   */
  private static @Nullable BranchHold tryLock(Path file, String branch) throws IOException {
    synchronized (OWN) {
      if (OWN.contains(file)) {
        throw inUse(branch, "this process");
      }
      FileChannel channel =
          FileChannel.open(
              file, StandardOpenOption.CREATE, StandardOpenOption.READ, StandardOpenOption.WRITE);
      boolean taken = false;
      try {
        if (channel.tryLock() == null) {
          ProcessIdentity holder = holder(channel);
          if (holder != null) {
            throw inUse(branch, "process " + holder.pid() + " on " + holder.host());
          }
          return null;
        }
        sign(channel);
        OWN.add(file);
        taken = true;
        return new BranchHold(file, channel);
      } finally {
        if (!taken) {
          channel.close();
        }
      }
    }
  }

  private static RalphException inUse(String branch, String holder) {
    return RalphException.contended(
        "the branch "
            + branch
            + " is in use by "
            + holder
            + "; wait until the process ends, or use another session");
  }

  /**
   * Returns the identity in the file; null if the file has none, or the identity of a dead process.
   */
  private static @Nullable ProcessIdentity holder(FileChannel channel) throws IOException {
    ByteBuffer bytes = ByteBuffer.allocate(LONGEST);
    channel.read(bytes, 0);
    String text = new String(bytes.array(), 0, bytes.position(), StandardCharsets.UTF_8);
    try {
      ProcessIdentity holder = ProcessIdentity.of(Meta.parse(text));
      return holder != null && holder.isLive() ? holder : null;
    } catch (RalphException unfinished) {
      return null;
    }
  }

  private static void sign(FileChannel channel) throws ClosedByInterruptException {
    String text = ProcessIdentity.current().in(Meta.empty()).json();
    try {
      channel.truncate(0);
      channel.write(ByteBuffer.wrap(text.getBytes(StandardCharsets.UTF_8)), 0);
    } catch (ClosedByInterruptException e) {
      throw e;
    } catch (IOException full) {
      // The lock is held nevertheless.
    }
  }

  /** Releases the hold. Idempotent. */
  @Override
  public void close() {
    synchronized (OWN) {
      if (channel.isOpen()) {
        OWN.remove(file);
        try (channel) {
          channel.truncate(0); // no reader must see this identity after the release
        } catch (IOException e) {
          // The lock is released at the end of the process at the latest.
        }
      }
    }
  }
}
