package dev.ralph.core.internal.workspace;

import dev.ralph.Verdict;
import dev.ralph.core.BranchMerger;
import dev.ralph.core.BranchMerger.Result;
import dev.ralph.core.BranchMerger.Status;
import java.nio.file.Path;
import java.util.List;
import java.util.function.IntPredicate;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;

/** One folder for all agents, who see each other's changes immediately. Nothing is merged. */
public final class SharedDirectory implements Workspaces {

  private final Path directory;
  private final PortBlocks ports;

  /**
   * Creates the workspaces without changing anything.
   *
   * @param directory the folder of all agents
   * @param portBase the first port of the agents' blocks
   */
  public SharedDirectory(Path directory, int portBase) {
    this.directory = directory;
    this.ports = new PortBlocks(portBase);
  }

  @Override
  public @Nullable String branch(int number) {
    return null;
  }

  @Override
  public boolean hasCommits(int number, String task) {
    return false;
  }

  @Override
  public Path directory(int agent) {
    return directory;
  }

  @Override
  public Path own(int agent, Path file) {
    return file;
  }

  @Override
  public void open() {}

  @Override
  public Workspace enter(int agent, int number, String task) {
    return new Workspace(agent, directory, null, false, ports.variables(agent));
  }

  @Override
  public void keep(Workspace workspace, String message) {}

  @Override
  public List<MergeOutcome> merge(List<Piece> pieces, Trial check, Predicate<Piece> fence) {
    Result there = new Result(Status.NOTHING, null, List.of(), "");
    return pieces.stream().map(piece -> new MergeOutcome(piece, there, null, false)).toList();
  }

  @Override
  public void forget(IntPredicate isSettled) {}

  @Override
  public Verdict check(BranchMerger.Check check, Runnable fence) throws InterruptedException {
    return check.verdict(directory);
  }

  @Override
  public Verdict tryCheck(BranchMerger.Check check) throws InterruptedException {
    return check.verdict(directory);
  }

  @Override
  public List<String> notices() {
    return List.of();
  }

  @Override
  public void close() {
    ports.close();
  }
}
