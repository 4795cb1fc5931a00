package dev.ralph.core;

import dev.ralph.core.BranchMerger.Piece;
import dev.ralph.core.BranchMerger.Result;
import dev.ralph.core.BranchMerger.Squashed;
import dev.ralph.core.BranchMerger.Status;
import dev.ralph.log.RalphException;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;

/**
 * Selects the pieces to try together, and collects their results. After a joint refusal, tries half
 * of the pieces, until a single failing piece is found. Not thread-safe.
 */
final class MergeBatch {

  /** The maximum length of the names in a title, to fit the title in a line of Git's output. */
  private static final int LONGEST_NAMES = 50;

  private final List<Piece> pieces;
  private final Map<Piece, Result> results = new LinkedHashMap<>();

  /** The last failure to try a piece; null for none. */
  private @Nullable RalphException failure;

  /** The maximum number of pieces to try together. */
  private int most;

  MergeBatch(List<Piece> pieces) {
    this.pieces = List.copyOf(pieces);
    this.most = pieces.size();
  }

  /** Returns the message of the commit that merges pieces. */
  static String mergeMessage(List<Piece> pieces) {
    StringBuilder title = new StringBuilder();
    int named = 0;
    for (Piece piece : pieces) {
      String next = (named == 0 ? "" : ", ") + piece.name();
      if (!piece.name().isEmpty() && title.length() + next.length() <= LONGEST_NAMES) {
        title.append(next);
        named++;
      }
    }
    int others = pieces.size() - named;
    if (named == 0) {
      title.append(others).append(" pieces of work");
    } else if (others > 0) {
      title.append(" and ").append(others).append(" more");
    }
    StringBuilder message = new StringBuilder("Merge ").append(title).append("\n");
    pieces.forEach(piece -> message.append("\n- ").append(piece.subject()));
    return message.toString();
  }

  boolean isDone() {
    return next().isEmpty();
  }

  /** Returns the pieces to try together now. */
  List<Piece> next() {
    return pieces.stream().filter(piece -> !results.containsKey(piece)).limit(most).toList();
  }

  /** Sets the result of a piece. */
  void end(Piece piece, Result result) {
    results.put(piece, result);
  }

  /** Refuses a piece that can't be tried. */
  void fail(Piece piece, RalphException why) {
    failure = why;
    end(piece, new Result(Status.REFUSED, null, List.of(), String.valueOf(why.getMessage())));
  }

  /** Records that commits were merged. */
  void merge(List<Squashed> chain) {
    for (Squashed each : chain) {
      end(each.piece(), new Result(Status.MERGED, each.commit(), List.of(), ""));
    }
    if (most < pieces.size()) {
      most = half(most); // a remaining piece fails the check
    }
  }

  /** Records that commits fail the check together. */
  void refuse(List<Squashed> chain, String reason) {
    if (chain.size() > 1) {
      most = half(chain.size());
      return;
    }
    end(chain.get(0).piece(), new Result(Status.REFUSED, null, List.of(), reason));
    most = pieces.size();
  }

  private static int half(int count) {
    return Math.max(1, count / 2);
  }

  /** Withdraws the pieces rejected by the fence. Returns whether the fence accepted all pieces. */
  boolean withdraw(List<Squashed> chain, Predicate<Piece> fence) {
    boolean all = true;
    for (Squashed each : chain) {
      if (!fence.test(each.piece())) {
        end(each.piece(), new Result(Status.WITHDRAWN, null, List.of(), ""));
        all = false;
      }
    }
    return all;
  }

  /** Returns the result of each piece. */
  Map<Piece, Result> results() {
    return results;
  }

  /** Returns the result of a single piece, or throws its failure. */
  Result only() {
    if (failure != null) {
      throw failure;
    }
    return results.values().iterator().next();
  }
}
