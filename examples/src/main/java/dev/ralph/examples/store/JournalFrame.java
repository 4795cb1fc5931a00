package dev.ralph.examples.store;

import dev.ralph.Frame;
import dev.ralph.Meta;
import dev.ralph.Position;
import dev.ralph.Topic;
import java.time.Instant;

/** A frame, as it was read or appended. */
record JournalFrame(
    String id, Topic topic, Position position, Instant time, Meta meta, String content)
    implements Frame {}
