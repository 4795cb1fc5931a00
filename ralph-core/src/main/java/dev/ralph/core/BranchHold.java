package dev.ralph.core;

import dev.ralph.core.internal.git.GitTrees;
import dev.ralph.core.internal.git.SessionNames;
import dev.ralph.core.internal.process.Git;
import dev.ralph.domain.ProcessIdentity;
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

/**
 * Says that a session's branch and its work trees are in use: while one is held, nobody else works
 * there, and {@link WorkBranch} neither discards nor moves them. A process that is killed holds
 * nothing any more. Safe for use by many threads.
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

  /** In the repository's own folder. */
  private static final String PLACE = "ralph";

  private static final int LONGEST = 300;

  /**
   * What this process holds. The system frees the lock on a file once the process closes it,
   * however often it has it open; so a file that is locked here is never opened again.
   */
  private static final Set<Path> OWN = new HashSet<>();

  private final Path file;
  private final FileChannel channel;

  private BranchHold(Path file, FileChannel channel) {
    this.file = file;
    this.channel = channel;
  }

  /**
   * Takes a session's branch for this process, even if there is no such branch yet.
   *
   * @param project a folder of the repository
   * @param session its name, which its branch and its work trees have too
   * @throws RalphException CONTENDED if it is held already, with the process that holds it; INVALID
   *     if there is no repository
   * @throws InterruptedException if the thread is interrupted
   */
  public static BranchHold take(Path project, String session) throws InterruptedException {
    SessionNames names = new SessionNames(Topic.checkSegment("the name of a session", session));
    Path folder = project.toAbsolutePath().normalize();
    Git git = new Git(folder, PATIENCE);
    GitTrees.checkout(git, folder);
    Path place = GitTrees.common(git, folder).resolve(PLACE);
    try {
      Files.createDirectories(place);
      return lock(place.resolve(session + ".held"), names.branch());
    } catch (ClosedByInterruptException e) {
      Thread.interrupted(); // as it is where this is thrown
      throw new InterruptedException();
    } catch (IOException e) {
      throw GitTrees.failed("can't tell in " + place + " that " + names.branch() + " is used", e);
    }
  }

  private static BranchHold lock(Path file, String branch) throws IOException {
    synchronized (OWN) {
      if (OWN.contains(file)) {
        throw inUse(branch, "this process");
      }
      FileChannel channel =
          FileChannel.open(
              file, StandardOpenOption.CREATE, StandardOpenOption.READ, StandardOpenOption.WRITE);
      try {
        if (channel.tryLock() == null) {
          throw inUse(branch, holder(channel));
        }
        sign(channel);
        OWN.add(file);
        return new BranchHold(file, channel);
      } catch (IOException | RuntimeException e) {
        channel.close();
        throw e;
      }
    }
  }

  private static RalphException inUse(String branch, String holder) {
    return RalphException.contended(
        "the branch "
            + branch
            + " is in use, in "
            + holder
            + "; wait until that has ended, or work on another session");
  }

  private static String holder(FileChannel channel) throws IOException {
    ByteBuffer bytes = ByteBuffer.allocate(LONGEST);
    channel.read(bytes, 0);
    String holder = new String(bytes.array(), 0, bytes.position(), StandardCharsets.UTF_8);
    return holder.isBlank() ? "another process" : holder.strip();
  }

  /** Writes who holds it, for people. */
  private static void sign(FileChannel channel) throws ClosedByInterruptException {
    ProcessIdentity own = ProcessIdentity.current();
    String text = "process " + own.pid() + " on " + own.host() + "\n";
    try {
      channel.truncate(0);
      channel.write(ByteBuffer.wrap(text.getBytes(StandardCharsets.UTF_8)), 0);
    } catch (ClosedByInterruptException e) {
      throw e;
    } catch (IOException full) {
      // held all the same
    }
  }

  /** Lets go of it; a second time does nothing. */
  @Override
  public void close() {
    synchronized (OWN) {
      if (channel.isOpen()) {
        OWN.remove(file);
        try {
          channel.close();
        } catch (IOException e) {
          // It goes with the process at the latest.
        }
      }
    }
  }
}
