package dev.ralph.openspec;

import java.util.List;

/** Lines that may be a task: what OpenSpec's own tool makes of each is asked of the tool itself. */
final class TaskLines {

  /** It counts these. */
  static final List<String> COUNTED =
      List.of(
          "- [ ] 1.1 a",
          "-[ ]a",
          "* [x] a",
          "+ [X] a",
          "12. [ ] a",
          "3) [ ] a",
          "    - [ ] a",
          "\t- [~] a",
          "- [] a",
          "- [ x ] a",
          "- [  ]",
          "- [ ](link)",
          "- [x]done",
          "- [1] a",
          "\uFEFF- [ ] a",
          "- [\u00A0] a");

  /** It does not count these. */
  static final List<String> OTHERS =
      List.of(
          "- [A](https://example.com)",
          "- [1][ref]",
          "- [WIP] a",
          "- [](x)",
          "- a",
          "[ ] a",
          "1234567890. [ ] a",
          "1 [ ] a",
          "- [\uD83D\uDE42] a",
          "- [",
          "- [ ",
          "- [ x");

  private TaskLines() {}
}
