package dev.ralph.core;

import static org.assertj.core.api.Assertions.assertThat;

import dev.ralph.Ralph;
import dev.ralph.log.Fold;
import dev.ralph.log.Frame;
import dev.ralph.log.Meta;
import dev.ralph.log.Topic;
import dev.ralph.log.TopicFilter;
import dev.ralph.log.View;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** Erasing all frames of some topics. */
class EraseByTopicTest {

  private static final Topic ANN = Topic.of("chat.ann.memory");
  private static final Topic BOB = Topic.of("chat.bob.memory");
  private static final Fold<List<String>, List<String>> CONTENTS =
      Fold.of(
          "test.contents",
          ArrayList::new,
          (contents, frame) -> contents.add(frame.content()),
          List::copyOf);

  private final Ralph ralph = Ralph.inMemory();
  private final View<List<String>> ann = ralph.view(ANN, CONTENTS);

  @AfterEach
  void close() {
    ralph.close();
  }

  @Test
  void eraseByTopic_erasesOnlyFramesOfTheTopic() {
    ralph.append(ANN, Meta.empty(), "one");
    ralph.append(BOB, Meta.empty(), "his");
    ralph.append(ANN, Meta.of("a", 1), "two");
    assertThat(ann.current()).containsExactly("one", "two");

    assertThat(ralph.log().erase(TopicFilter.of(ANN))).isEqualTo(2);

    assertThat(ann.current()).isEmpty();
    assertThat(ralph.view(BOB, CONTENTS).current()).containsExactly("his");
  }

  @Test
  void repeatedErase_erasesOnlyNewFrames() {
    ralph.append(ANN, Meta.empty(), "one");
    ralph.log().erase(TopicFilter.of(ANN));
    Frame notice = ralph.log().last(TopicFilter.of(ANN)).orElseThrow();

    assertThat(ralph.log().erase(TopicFilter.of(ANN))).isZero();
    ralph.append(ANN, Meta.empty(), "two");
    assertThat(ralph.log().erase(TopicFilter.of(ANN))).isEqualTo(1);

    assertThat(ralph.log().get(notice.id()).orElseThrow().meta()).isEqualTo(notice.meta());
    assertThat(ann.current()).isEmpty();
  }
}
