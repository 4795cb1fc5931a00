package dev.ralph.cli.call;

import dev.ralph.log.Meta;

/** The envelope that every answer in JSON has; see the command reference for what is in it. */
public final class Json {

  /** Grows when a member changes its meaning or goes away; new members may come at any time. */
  public static final int VERSION = 1;

  private Json() {}

  /** Returns an answer of that kind without anything in it yet. */
  public static Meta of(String kind) {
    return Meta.of("v", VERSION).with("kind", kind);
  }
}
