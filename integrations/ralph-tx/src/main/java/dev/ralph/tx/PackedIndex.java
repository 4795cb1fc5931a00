package dev.ralph.tx;

import static java.nio.charset.StandardCharsets.UTF_8;

import dev.ralph.domain.StateCodec;
import dev.ralph.log.Fold;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.util.Arrays;
import java.util.HexFormat;
import java.util.function.IntPredicate;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/**
 * Observations in the format of a snapshot: columns of numbers as an index, then the texts. An
 * observation is decoded when it is read, because a starting command reads few of a hundred
 * thousand. Immutable; safe for use by many threads.
 */
final class PackedIndex implements ObservationIndex {

  /** Identifies this format. */
  private static final int FORM = 0x54785331;

  private static final int HEADER = 2 * Integer.BYTES;
  private static final Pattern SHA_256 = Pattern.compile("[0-9a-f]{64}");
  private static final int LONG_DIGITS = 16;
  private static final TxEvent.Kind[] KINDS = TxEvent.Kind.values();

  // The columns, with a number per observation. A byte per observation follows, its kind, and then
  // the texts.
  private static final int END = 0;
  private static final int NAME_END = 1;
  private static final int FILE_HASH = 2;
  private static final int ID_HASH = 3; // of ingested or rejected messages
  private static final int ANSWERED_HASH = 4;
  private static final int COLUMNS = 5;

  /** Without observations. */
  static final PackedIndex NONE =
      new PackedIndex(ByteBuffer.allocate(HEADER).putInt(FORM).putInt(0).array());

  /** Encodes the state of the fold. */
  static final Fold.Codec<FileObservations.State> CODEC =
      new Fold.Codec<>() {
        @Override
        public byte[] encode(FileObservations.State state) {
          return PackedIndex.encode(state.result());
        }

        @Override
        public FileObservations.State decode(byte[] bytes) {
          PackedIndex kept = new PackedIndex(bytes);
          if (kept.size > 0) {
            // Decode the first and the last observation now, to fail on a foreign format here and
            // not at a later read.
            kept.get(0);
            kept.get(kept.size - 1);
          }
          return new FileObservations.State(kept);
        }
      };

  private final byte[] array;
  private final ByteBuffer bytes;
  private final int size;

  // Created on first use.
  private volatile @Nullable Chains byFile;
  private volatile @Nullable Chains byId;
  private volatile @Nullable Chains byAnswered;

  private PackedIndex(byte[] array) {
    this.array = array;
    this.bytes = ByteBuffer.wrap(array);
    this.size = bytes.getInt(Integer.BYTES);
    if (bytes.getInt(0) != FORM
        || size < 0
        || size > bytes.limit() / (COLUMNS * Integer.BYTES)
        || end(size - 1) != bytes.limit()) {
      throw new IllegalArgumentException("expected " + size + " sightings");
    }
  }

  private static int texts(int size) {
    return HEADER + size * (COLUMNS * Integer.BYTES + 1);
  }

  private int number(int column, int index) {
    return bytes.getInt(HEADER + Integer.BYTES * (column * size + index));
  }

  private int end(int index) {
    return index < 0 ? texts(size) : number(END, index);
  }

  @Override
  public int size() {
    return size;
  }

  @Override
  public TxEvent.Kind kind(int index) {
    return KINDS[bytes.get(HEADER + COLUMNS * Integer.BYTES * size + index)];
  }

  @Override
  public FileObservation get(int index) {
    int begin = end(index - 1);
    int nameEnd = number(NAME_END, index);
    String name = new String(array, begin, nameEnd - begin, UTF_8);
    FileObservation rest = REST.decode(Arrays.copyOfRange(array, nameEnd, end(index)));
    return new FileObservation(
        kind(index), name, rest.id(), rest.sha256(), rest.message(), rest.why());
  }

  @Override
  public int ofFile(String name) {
    byte[] wanted = name.getBytes(UTF_8);
    Chains chains = byFile;
    if (chains == null) {
      chains = new Chains(FILE_HASH);
      byFile = chains;
    }
    return chains.last(hash(name), index -> isName(index, wanted));
  }

  private boolean isName(int index, byte[] wanted) {
    int begin = end(index - 1);
    int end = number(NAME_END, index);
    return Arrays.equals(array, begin, end, wanted, 0, wanted.length);
  }

  @Override
  public int taken(String id) {
    return ofId(id, TxEvent.Kind.TAKEN);
  }

  @Override
  public int refused(String id) {
    return ofId(id, TxEvent.Kind.REFUSED);
  }

  private int ofId(String id, TxEvent.Kind kind) {
    Chains chains = byId;
    if (chains == null) {
      chains = new Chains(ID_HASH);
      byId = chains;
    }
    return chains.last(hash(id), index -> kind(index) == kind && id.equals(get(index).id()));
  }

  @Override
  public int[] answering(String id) {
    Chains chains = byAnswered;
    if (chains == null) {
      chains = new Chains(ANSWERED_HASH);
      byAnswered = chains;
    }
    return chains.all(hash(id), index -> id.equals(get(index).message().inReplyTo()));
  }

  /** Returns the hash code of a text, which is never 0, or 0 for null. */
  private static int hash(@Nullable String text) {
    return text == null ? 0 : text.hashCode() == 0 ? 1 : text.hashCode();
  }

  /** A hash index of the observations over one column of hash codes. */
  private final class Chains {
    private final int[] hashes = new int[size];

    /** By slot: the index of the last observation plus one, or 0 if the slot is empty. */
    private final int[] lasts;

    /**
     * By index: the index of the previous observation in the same slot plus one, or 0 if none
     * exists.
     */
    private final int[] before = new int[size];

    Chains(int column) {
      bytes.duplicate().position(HEADER + Integer.BYTES * column * size).asIntBuffer().get(hashes);
      this.lasts = new int[Math.max(1, Integer.highestOneBit(size) * 2)];
      for (int i = 0; i < size; i++) {
        int hash = hashes[i];
        if (hash != 0) {
          int slot = slot(hash);
          before[i] = lasts[slot];
          lasts[slot] = i + 1;
        }
      }
    }

    private int slot(int hash) {
      int mixed = hash * 0x9e3779b9; // similar names have similar hash codes
      return (mixed ^ mixed >>> 15) & lasts.length - 1;
    }

    int last(int hash, IntPredicate wanted) {
      for (int next = lasts[slot(hash)]; next > 0; next = before[next - 1]) {
        if (hashes[next - 1] == hash && wanted.test(next - 1)) {
          return next - 1;
        }
      }
      return -1;
    }

    int[] all(int hash, IntPredicate wanted) {
      int[] found = new int[0];
      for (int next = lasts[slot(hash)]; next > 0; next = before[next - 1]) {
        if (hashes[next - 1] == hash && wanted.test(next - 1)) {
          found = Arrays.copyOf(found, found.length + 1);
          found[found.length - 1] = next - 1;
        }
      }
      return found;
    }
  }

  // ---- writing

  private static byte[] encode(FileObservations all) {
    int size = all.size();
    PackedIndex kept = all.kept();
    int[][] columns = new int[COLUMNS][size];
    byte[] kinds = new byte[size];
    ByteArrayOutputStream texts = new ByteArrayOutputStream(128 * size + 16);
    int shift = texts(size) - texts(kept.size);
    texts.write(kept.array, texts(kept.size), kept.bytes.limit() - texts(kept.size));
    for (int i = 0; i < size; i++) {
      kinds[i] = (byte) all.kind(i).ordinal();
      if (i < kept.size) {
        for (int column = 0; column < COLUMNS; column++) {
          columns[column][i] = kept.number(column, i);
        }
        columns[END][i] += shift;
        columns[NAME_END][i] += shift;
        continue;
      }
      FileObservation sighting = all.get(i);
      texts.writeBytes(sighting.file().getBytes(UTF_8));
      columns[NAME_END][i] = texts(size) + texts.size();
      texts.writeBytes(REST.encode(sighting));
      columns[END][i] = texts(size) + texts.size();
      columns[FILE_HASH][i] = hash(sighting.file());
      String id = sighting.id();
      boolean isTaken = sighting.kind() == TxEvent.Kind.TAKEN;
      if (id != null && (isTaken || sighting.kind() == TxEvent.Kind.REFUSED)) {
        int first = isTaken ? all.taken(id) : all.refused(id);
        columns[ID_HASH][i] = first == i ? hash(id) : 0;
        columns[ANSWERED_HASH][i] = hash(sighting.message().inReplyTo());
      }
    }
    ByteBuffer whole = ByteBuffer.allocate(texts(size) + texts.size()).putInt(FORM).putInt(size);
    for (int[] column : columns) {
      whole.asIntBuffer().put(column);
      whole.position(whole.position() + Integer.BYTES * size);
    }
    return whole.put(kinds).put(texts.toByteArray()).array();
  }

  /** Encodes an observation without its kind and file name. */
  private static final StateCodec<FileObservation> REST =
      new StateCodec<>() {
        @Override
        protected void write(FileObservation sighting, Output out) {
          TxMessage message = sighting.message();
          out.text(sighting.id());
          out.text(message.from() == null ? null : message.from().toString());
          out.text(message.to() == null ? null : message.to().toString());
          out.text(message.status());
          out.text(message.inReplyTo());
          out.text(sighting.why());
          writeSum(sighting.sha256(), out);
        }

        /** Writes a checksum as numbers, which takes half the space of the text. */
        private void writeSum(@Nullable String sum, Output out) {
          boolean isSum = sum != null && SHA_256.matcher(sum).matches();
          out.bool(isSum);
          if (sum == null || !isSum) {
            out.text(sum);
            return;
          }
          for (int i = 0; i < sum.length(); i += LONG_DIGITS) {
            out.number(Long.parseUnsignedLong(sum, i, i + LONG_DIGITS, 16));
          }
        }

        @Override
        protected FileObservation read(Input in) throws IOException {
          String id = in.textOrNull();
          TxMessage message =
              FileObservation.message(
                  id, in.textOrNull(), in.textOrNull(), in.textOrNull(), in.textOrNull());
          String why = in.textOrNull();
          return new FileObservation(TxEvent.Kind.TAKEN, "", id, sum(in), message, why);
        }

        private @Nullable String sum(Input in) throws IOException {
          if (!in.bool()) {
            return in.textOrNull();
          }
          StringBuilder sum = new StringBuilder();
          for (int i = 0; i < 4; i++) {
            sum.append(HexFormat.of().toHexDigits(in.number()));
          }
          return sum.toString();
        }
      };
}
