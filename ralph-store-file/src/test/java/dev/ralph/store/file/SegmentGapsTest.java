package dev.ralph.store.file;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/**
 * The gaps of a segment. In the tables, each letter is a frame of 100 bytes: a capital letter is a
 * frame that stays, a small letter an erased frame. Digits are consecutive gap lines of earlier
 * compactions with so many frames. Brackets enclose a batch.
 */
class SegmentGapsTest {

  @ParameterizedTest
  @CsvSource({
    "AB, ''",
    "a, 1+1",
    "Aa, 2+1",
    "aAa, 1+1 3+1",
    "AaaaB, 2+3",
    "a(bc)d, 1+4", // whole batches in one gap
    "(Ab), 2+1/2-2of2",
    "(aB), 1+1/1-1of2",
    "(abCde), 1+2/1-2of5 4+2/4-5of5",
    "x(aB)(cd)y, 1+1 2+1/1-1of2 4+3",
    "a3b, 1+5", // merged with an earlier gap
    "A2, 2+2",
    "(A2b), 2+3/2-4of4",
    "(a2B), 1+3/1-3of4",
    "(a2), 1+3" // the rest of the batch was erased since
  })
  void erasedFrames_areGaps(String frames, String gaps) {
    assertThat(describe(read(frames))).isEqualTo(gaps);
  }

  @ParameterizedTest
  @CsvSource({"(aB|, 2", "(A|B, 2", "(a|, 3"})
  void incompleteBatch_hasNoGaps(String frames, int of) {
    assertThat(read(frames.replace("|", "?"))).isNull();
  }

  @Test
  void gap_hasChecksumsOfItsEdges() {
    SegmentGaps.Gap gap = read("AbcD").get(0);

    assertThat(gap.after()).isEqualTo('A');
    assertThat(gap.checksum()).isEqualTo('c');
    assertThat(gap.from()).isEqualTo(200);
    assertThat(gap.to()).isEqualTo(400);
  }

  @Test
  void gapAtBegin_followsHeader() {
    assertThat(read("a").get(0).after()).isEqualTo(7);
  }

  private static String describe(List<SegmentGaps.Gap> gaps) {
    List<String> texts = new ArrayList<>();
    for (SegmentGaps.Gap gap : gaps) {
      GapLine line = gap.line();
      String parts =
          line.batch() == null ? "" : "/" + line.part() + "-" + line.last() + "of" + line.of();
      texts.add(gap.from() / 100 + "+" + line.frames() + parts);
    }
    return String.join(" ", texts);
  }

  private static List<SegmentGaps.Gap> read(String frames) {
    SegmentGaps gaps = new SegmentGaps();
    gaps.keep(7);
    long at = 100;
    int part = 0;
    int of = 0;
    for (int i = 0; i < frames.length(); i++) {
      char c = frames.charAt(i);
      if (c == '(') {
        part = 1;
        of = size(frames.substring(i + 1));
      } else if (c == ')') {
        part = 0;
        of = 0;
      } else if (c == '?') {
        part = 0; // the rest of the batch is missing
        of = 0;
      } else {
        int count = Character.isDigit(c) ? c - '0' : 1;
        boolean erased = !Character.isUpperCase(c);
        GapLine gap = null;
        if (erased && part == 0) {
          gap = GapLine.ofBatches(count);
        } else if (erased) {
          gap = new GapLine(count, "batch", part, part + count - 1, of);
        }
        gaps.add(new SegmentGaps.Line(at, at + 100, gap, part, of, c));
        part += part == 0 ? 0 : count;
        at += 100;
      }
    }
    return gaps.all();
  }

  /** Returns the number of frames before the end of the batch. */
  private static int size(String rest) {
    int count = 0;
    for (int i = 0; i < rest.length() && rest.charAt(i) != ')'; i++) {
      char c = rest.charAt(i);
      count += Character.isDigit(c) ? c - '0' : 1;
    }
    return count;
  }
}
