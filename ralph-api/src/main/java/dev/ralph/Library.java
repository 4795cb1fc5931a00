package dev.ralph;

import dev.ralph.internal.ServiceSearch;
import dev.ralph.internal.StoreLocation;
import dev.ralph.log.RalphException;
import dev.ralph.spi.FrameStoreProvider;
import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Collectors;

/** Finds the engine of the library and the providers of stores. */
final class Library {

  private Library() {}

  static Engine engine() {
    for (Engine engine : ServiceSearch.find(Engine.class, "the library's module ralph-core")) {
      return engine;
    }
    throw RalphException.unsupported(
        "the library's module ralph-core was not found; add ralph-core to the class path or"
            + " module path");
  }

  static String version() {
    try (InputStream in = Library.class.getResourceAsStream("version")) {
      if (in == null) {
        throw new IllegalStateException("missing file version in the library");
      }
      return new String(in.readAllBytes(), StandardCharsets.UTF_8).strip();
    } catch (IOException e) {
      throw new UncheckedIOException("the library's file version can't be read", e);
    }
  }

  static Iterable<FrameStoreProvider> providers() {
    return ServiceSearch.find(FrameStoreProvider.class, "a provider of stores");
  }

  /** Returns the only provider with a name. */
  static FrameStoreProvider provider(String kind, Iterable<FrameStoreProvider> providers) {
    List<FrameStoreProvider> found = new ArrayList<>();
    List<FrameStoreProvider> named = new ArrayList<>();
    for (FrameStoreProvider provider : providers) {
      found.add(provider);
      if (provider.name().equals(kind)) {
        named.add(provider);
      }
    }
    if (named.size() == 1) {
      return named.get(0);
    }
    throw RalphException.unsupported(
        (named.isEmpty() ? "no" : "more than one")
            + " provider of stores is named "
            + RalphException.quote(kind)
            + "; found "
            + (found.isEmpty()
                ? "none; check the class path for the module of the store"
                : found.stream()
                    .map(provider -> provider.name() + " (" + provider.getClass().getName() + ")")
                    .collect(Collectors.joining(", ")))
            + (named.isEmpty() && !found.isEmpty()
                ? "; add the module of the store; in a single jar, merge META-INF/services"
                : ""));
  }

  /** Rejects a store address passed as a directory, to avoid creating a folder of this name. */
  static void requireNoAddress(Path directory, Iterable<FrameStoreProvider> providers) {
    String text = directory.toString();
    if (!StoreLocation.namesKind(text)) {
      return;
    }
    for (FrameStoreProvider provider : providers) {
      if (text.startsWith(provider.name() + ":")) {
        throw RalphException.invalid(
            RalphException.quote(text)
                + " is the address of a store, not a folder; give it to Ralph.open or"
                + " Ralph.Builder.address as a text");
      }
    }
  }
}
