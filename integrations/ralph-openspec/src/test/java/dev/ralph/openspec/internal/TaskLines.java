package dev.ralph.openspec.internal;

import java.util.List;

/** Lines that may be tasks. {@link OpenSpecToolTest} compares them with OpenSpec's own tool. */
final class TaskLines {

  /** Lines that OpenSpec counts as tasks. */
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

  /** Lines that OpenSpec does not count. */
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
